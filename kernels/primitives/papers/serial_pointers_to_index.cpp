// Pointers to index: index[i] = b for i in [pointers[b], pointers[b+1]). Source: transposition seed
// IV-G.
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

class SerialPointersToIndex final : public HostPrimitiveRun {
 public:
  SerialPointersToIndex(const PrimitivesProblem& problem, const Params&)
      : HostPrimitiveRun(problem) {}

  void execute() override {
    const index_t* const pointers = problem_.pointers().data();
    index_t* const index = out_.index.data();
    for (index_t b = 0; b < problem_.bins(); ++b) {
      for (index_t i = pointers[b]; i < pointers[b + 1]; ++i) {
        index[i] = b;
      }
    }
  }
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_serial_pointers_to_index() {
  return {.name = "serial_pointers_to_index",
          .summary = "expansion bin by bin",
          .source = "transposition seed IV-G",
          .backend = Backend::serial,
          .applies = solves(Procedure::pointers_to_index),
          .prepare = make_run<SerialPointersToIndex, PrimitivesProblem>};
}

}  // namespace sparserepro
