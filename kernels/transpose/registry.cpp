// THE list of transposition algorithms.
#include "transpose/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<TransposeProblem>>& transpose_algorithms() {
  static const std::vector<Algorithm<TransposeProblem>> table = {
      transpose_serial(),
  };
  return table;
}

}  // namespace sparserepro
