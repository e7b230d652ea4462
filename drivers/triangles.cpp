// Driver of the problem `triangles`: the number of triangles of a graph.
#include "triangles/triangles.hpp"

#include "common/driver.hpp"
#include "io/load_matrix.hpp"

int main(int argc, char** argv) {
  using namespace sparserepro;
  return run_driver<TrianglesProblem>(
      argc, argv,
      {.description =
           "Counts the triangles of the graph of a square matrix (the pattern of A + A^T "
           "without the diagonal) in all, at vertices or at edges, with every algorithm, checks "
           "each count and compares the times.",
       .source_help = "Matrix Market file or generator spec of a square matrix",
       .default_source = "",
       .table = triangles_algorithms(),
       .load = load_matrix});
}
