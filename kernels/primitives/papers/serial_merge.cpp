// Sequential two-way merge of each pair of segments. Source: transposition seed IV-C.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/merge_pair.hpp"

namespace sparserepro {
namespace {

class SerialMerge final : public HostPrimitiveRun {
 public:
  SerialMerge(const PrimitivesProblem& problem, const Params&) : HostPrimitiveRun(problem) {}

  void execute() override {
    const KeyedArray in{problem_.values().data(), problem_.payload().data()};
    const KeyedOutput out{out_.keys.data(), out_.payload.data()};
    const std::int64_t pairs = pair_count(problem_.segment(), problem_.length());
    for (std::int64_t k = 0; k < pairs; ++k) {
      const auto pair = SegmentPair::at(k, problem_.segment(), problem_.length());
      merge_ranges(in, pair.left, pair.right, pair.right, pair.end, out, pair.left);
    }
  }
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_serial_merge() {
  return {.name = "serial_merge",
          .summary = "two-way merge of each pair of segments",
          .source = "transposition seed IV-C",
          .backend = Backend::serial,
          .applies = solves(Procedure::merge),
          .prepare = make_run<SerialMerge, PrimitivesProblem>};
}

}  // namespace sparserepro
