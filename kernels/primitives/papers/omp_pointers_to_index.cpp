// Pointers to index: index[p] = b for p in [pointers[b], pointers[b+1]). Each thread writes an
// equal part of the index; a binary search in the pointers finds its first bin. Source:
// transposition seed IV-G, which gives one bin to one thread block. Equal parts of the output
// balance bins of different sizes.
#include <omp.h>

#include "formats/partition.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

class OmpPointersToIndex final : public HostPrimitiveRun {
 public:
  OmpPointersToIndex(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem), threads_(params.threads()) {}

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      write_part(static_cast<index_t>(part_begin(problem_.length(), p, t)),
                 static_cast<index_t>(part_begin(problem_.length(), p, t + 1)));
    }
  }

 private:
  void write_part(index_t begin, index_t end) {
    if (begin == end) {
      return;
    }
    const index_t* const pointers = problem_.pointers().data();
    index_t* const index = out_.index.data();
    auto b = static_cast<index_t>(segment_of(pointers, problem_.bins(), begin));
    for (index_t i = begin; i < end; ++b) {
      for (const index_t stop = std::min(pointers[b + 1], end); i < stop; ++i) {
        index[i] = b;
      }
    }
  }

  int threads_;
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_pointers_to_index() {
  return {.name = "omp_pointers_to_index",
          .summary = "expansion by equal parts of the output",
          .source = "transposition seed IV-G",
          .backend = Backend::omp,
          .applies = solves(Procedure::pointers_to_index),
          .prepare = make_run<OmpPointersToIndex, PrimitivesProblem>};
}

}  // namespace sparserepro
