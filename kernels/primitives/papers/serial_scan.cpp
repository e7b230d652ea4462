// Exclusive scan, one addition an element. Source: transposition seed IV-A.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

class SerialScan final : public HostPrimitiveRun {
 public:
  SerialScan(const PrimitivesProblem& problem, const Params&) : HostPrimitiveRun(problem) {}

  void execute() override {
    const index_t* const values = problem_.values().data();
    std::int64_t* const sums = out_.sums.data();
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < problem_.length(); ++i) {
      sums[i] = sum;
      sum += values[i];
    }
  }
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_serial_scan() {
  return {.name = "serial_scan",
          .summary = "running sum",
          .source = "transposition seed IV-A",
          .backend = Backend::serial,
          .applies = solves(Procedure::scan),
          .prepare = make_run<SerialScan, PrimitivesProblem>};
}

}  // namespace sparserepro
