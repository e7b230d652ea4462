// Segmented sort by rank (rank_sort.hpp); one thread sorts whole segments. Source: transposition
// seed IV-B, where a thread block sorts a segment and a thread ranks one element.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/rank_sort.hpp"

namespace sparserepro {
namespace {

class OmpSegmentedSort final : public HostPrimitiveRun {
 public:
  OmpSegmentedSort(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem), threads_(params.threads()) {}

  void execute() override {
    const std::int64_t length = problem_.length();
    const std::int64_t segment = problem_.segment();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t begin = 0; begin < length; begin += segment) {
      rank_sort(problem_.values().data() + begin, problem_.payload().data() + begin,
                static_cast<index_t>(std::min(segment, length - begin)), out_.keys.data() + begin,
                out_.payload.data() + begin);
    }
  }

 private:
  int threads_;
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_segmented_sort() {
  return {.name = "omp_segmented_sort",
          .summary = "rank of each element, segments in parallel",
          .source = "transposition seed IV-B",
          .backend = Backend::omp,
          .applies = solves(Procedure::segmented_sort),
          .refusal = rank_sort_refusal,
          .prepare = make_run<OmpSegmentedSort, PrimitivesProblem>};
}

}  // namespace sparserepro
