// The table of algorithms for SpMM, made of the list algorithms.def.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "spmm/algorithms.hpp"

namespace sparserepro {
namespace {

/// What an algorithm may take besides A and fp64.
enum Extension { transpose, fp32 };

/// Refuses operations and value types that the algorithm does not take, before its own refusal.
Algorithm<SpmmProblem> restricted(Algorithm<SpmmProblem> algorithm,
                                  std::initializer_list<Extension> extensions) {
  const auto takes = [extensions](Extension extension) {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
  };
  algorithm.refusal = [transposes = takes(transpose), narrow = takes(fp32), name = algorithm.name,
                       own = std::move(algorithm.refusal)](const SpmmProblem& problem,
                                                           const Params& params) -> std::string {
    if (problem.op() == Operation::transpose && !transposes) {
      return name + " does not compute A^T X";
    }
    if (problem.value_type() == DataType::fp32 && !narrow) {
      return name + " does not take fp32";
    }
    return own ? own(problem, params) : "";
  };
  return algorithm;
}

}  // namespace

const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms() {
  static const std::vector<Algorithm<SpmmProblem>> table = {
#define ALGORITHM(name, ...) restricted(spmm_##name(), {__VA_ARGS__}),
#include "spmm/algorithms.def"
  };
  return table;
}

}  // namespace sparserepro
