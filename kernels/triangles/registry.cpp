// The table of triangle counting algorithms, made of the list algorithms.def.
#include "triangles/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<TrianglesProblem>>& triangles_algorithms() {
  static const std::vector<Algorithm<TrianglesProblem>> table = {
#define ALGORITHM(name) triangles_##name(),
#include "triangles/algorithms.def"
  };
  return table;
}

}  // namespace sparserepro
