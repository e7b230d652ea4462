// The list of triangle counting algorithms, in the order in which tables show them.
#include <algorithm>
#include <iterator>
#include <string>

#include "triangles/algorithms.hpp"

namespace sparserepro {
namespace {

/// Algorithms that count at vertices and at edges too; the others are calls and methods for the
/// total.
constexpr const char* takes_outputs[] = {"serial", "omp_adaptive", "cuda_adaptive"};

/// With the refusal of outputs that it does not know before its own.
Algorithm<TrianglesProblem> restricted(Algorithm<TrianglesProblem> algorithm) {
  if (std::find(std::begin(takes_outputs), std::end(takes_outputs), algorithm.name) ==
      std::end(takes_outputs)) {
    algorithm.refusal = [name = algorithm.name, own = algorithm.refusal](
                            const TrianglesProblem& problem, const Params& params) -> std::string {
      if (problem.output() != TrianglesOutput::total) {
        return name + " counts in all, not at vertices or edges";
      }
      return own ? own(problem, params) : "";
    };
  }
  return algorithm;
}

std::vector<Algorithm<TrianglesProblem>> restricted(
    std::vector<Algorithm<TrianglesProblem>> table) {
  std::transform(table.begin(), table.end(), table.begin(),
                 [](const Algorithm<TrianglesProblem>& each) { return restricted(each); });
  return table;
}

}  // namespace

const std::vector<Algorithm<TrianglesProblem>>& triangles_algorithms() {
  static const std::vector<Algorithm<TrianglesProblem>> table = restricted({
      triangles_serial(),
      triangles_serial_upper(),
      triangles_omp_forward(),
      triangles_omp_adaptive(),
      triangles_cusparse_spgemm(),
      triangles_cuda_block_per_row(),
      triangles_cuda_block_per_row_shared(),
      triangles_cuda_adaptive(),
      triangles_graphblas_masked(),
      triangles_igraph_triangles(),
      triangles_networkit_triangles(),
  });
  return table;
}

}  // namespace sparserepro
