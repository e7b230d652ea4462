// The table of transposition algorithms, made of the list algorithms.def.
#include "transpose/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<TransposeProblem>>& transpose_algorithms() {
  static const std::vector<Algorithm<TransposeProblem>> table = {
#define ALGORITHM(name) transpose_##name(),
#include "transpose/algorithms.def"
  };
  return table;
}

}  // namespace sparserepro
