// Segmented sort by rank (rank_sort.hpp), one segment after the other. Source: transposition seed
// IV-B.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/rank_sort.hpp"

namespace sparserepro {
namespace {

class SerialSegmentedSort final : public HostPrimitiveRun {
 public:
  SerialSegmentedSort(const PrimitivesProblem& problem, const Params&)
      : HostPrimitiveRun(problem) {}

  void execute() override {
    for (std::int64_t begin = 0; begin < problem_.length(); begin += problem_.segment()) {
      const std::int64_t n = std::min(problem_.segment(), problem_.length() - begin);
      rank_sort(problem_.values().data() + begin, problem_.payload().data() + begin,
                static_cast<index_t>(n), out_.keys.data() + begin, out_.payload.data() + begin);
    }
  }
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_serial_segmented_sort() {
  return {.name = "serial_segmented_sort",
          .summary = "rank of each element within its segment",
          .source = "transposition seed IV-B",
          .backend = Backend::serial,
          .applies = solves(Procedure::segmented_sort),
          .refusal = rank_sort_refusal,
          .prepare = make_run<SerialSegmentedSort, PrimitivesProblem>};
}

}  // namespace sparserepro
