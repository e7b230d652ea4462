// The table of algorithms for the primitives, made of the list algorithms.def.
#include "primitives/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<PrimitivesProblem>>& primitives_algorithms() {
  static const auto table = with_group_baselines<PrimitivesProblem>({
#define ALGORITHM(name) primitives_##name(),
#include "primitives/algorithms.def"
  });
  return table;
}

}  // namespace sparserepro
