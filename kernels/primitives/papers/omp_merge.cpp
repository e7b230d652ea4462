// Merge by Merge Path: each thread writes an equal part of the output, whatever the number and the
// length of the segments. Two binary searches a pair find where the thread's part of the pair
// begins and ends in both segments. Source: Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path -
// parallel merging made simple", IPDPS workshops 2012; proposed in section VIII of the
// transposition seed.
#include <omp.h>

#include "formats/partition.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/merge_pair.hpp"

namespace sparserepro {
namespace {

class OmpMerge final : public HostPrimitiveRun {
 public:
  OmpMerge(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem), threads_(params.threads()) {}

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      write_outputs(part_begin(problem_.length(), p, t), part_begin(problem_.length(), p, t + 1));
    }
  }

 private:
  void write_outputs(std::int64_t begin, std::int64_t end) {
    const KeyedArray in{problem_.values().data(), problem_.payload().data()};
    const KeyedOutput out{out_.keys.data(), out_.payload.data()};
    const std::int64_t segment = problem_.segment();
    for (std::int64_t k = begin / (2 * segment); begin < end; ++k) {
      const auto pair = SegmentPair::at(k, segment, problem_.length());
      const std::int64_t stop = std::min(end, pair.end);
      const std::int64_t a = merge_path(in.keys, pair, begin - pair.left);
      const std::int64_t a_end = merge_path(in.keys, pair, stop - pair.left);
      merge_ranges(in, pair.left + a, pair.left + a_end, pair.right + (begin - pair.left - a),
                   pair.right + (stop - pair.left - a_end), out, begin);
      begin = stop;
    }
  }

  int threads_;
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_merge() {
  return {.name = "omp_merge",
          .summary = "Merge Path: equal parts of the output",
          .source = "Odeh et al., IPDPSW 2012; transposition seed VIII",
          .backend = Backend::omp,
          .applies = solves(Procedure::merge),
          .prepare = make_run<OmpMerge, PrimitivesProblem>};
}

}  // namespace sparserepro
