// Index to pointers: a histogram of the index, then its exclusive scan. Source: transposition seed
// IV-F.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

class SerialIndexToPointers final : public HostPrimitiveRun {
 public:
  SerialIndexToPointers(const PrimitivesProblem& problem, const Params&)
      : HostPrimitiveRun(problem) {}

  void execute() override {
    index_t* const pointers = out_.pointers.data();
    std::fill_n(pointers, out_.pointers.size(), index_t{0});
    for (const index_t bin : problem_.values()) {
      ++pointers[bin + 1];
    }
    for (index_t b = 0; b < problem_.bins(); ++b) {
      pointers[b + 1] += pointers[b];
    }
  }
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_serial_index_to_pointers() {
  return {.name = "serial_index_to_pointers",
          .summary = "histogram and prefix sum",
          .source = "transposition seed IV-F",
          .backend = Backend::serial,
          .applies = solves(Procedure::index_to_pointers),
          .prepare = make_run<SerialIndexToPointers, PrimitivesProblem>};
}

}  // namespace sparserepro
