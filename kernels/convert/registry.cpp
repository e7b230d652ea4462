// The table of conversion algorithms, made of the list algorithms.def.
#include "convert/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<ConvertProblem>>& convert_algorithms() {
  static const auto table = with_group_baselines<ConvertProblem>({
#define ALGORITHM(name) convert_##name(),
#include "convert/algorithms.def"
  });
  return table;
}

}  // namespace sparserepro
