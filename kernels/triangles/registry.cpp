// The table of triangle counting algorithms, made of the list algorithms.def.
#include <initializer_list>
#include <string>
#include <utility>

#include "triangles/algorithms.hpp"

namespace sparserepro {
namespace {

/// What an algorithm may count besides the total.
enum Extension { outputs };

/// Refuses counts at vertices and edges where the algorithm does not know them, before its own
/// refusal.
Algorithm<TrianglesProblem> restricted(Algorithm<TrianglesProblem> algorithm,
                                       std::initializer_list<Extension> extensions) {
  if (extensions.size() == 0) {
    algorithm.refusal = [name = algorithm.name, own = std::move(algorithm.refusal)](
                            const TrianglesProblem& problem, const Params& params) -> std::string {
      if (problem.output() != TrianglesOutput::total) {
        return name + " counts in all, not at vertices or edges";
      }
      return own ? own(problem, params) : "";
    };
  }
  return algorithm;
}

}  // namespace

const std::vector<Algorithm<TrianglesProblem>>& triangles_algorithms() {
  static const std::vector<Algorithm<TrianglesProblem>> table = {
#define ALGORITHM(name, ...) restricted(triangles_##name(), {__VA_ARGS__}),
#include "triangles/algorithms.def"
  };
  return table;
}

}  // namespace sparserepro
