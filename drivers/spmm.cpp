// Driver of the problem `spmm`: the product of a sparse matrix and a multivector.
#include "spmm/spmm.hpp"

#include "common/driver.hpp"
#include "io/load_matrix.hpp"

int main(int argc, char** argv) {
  using namespace sparserepro;
  return run_driver<SpmmProblem>(
      argc, argv,
      {.description =
           "Multiplies a sparse matrix A by a dense matrix X of k columns (Y = A X or A^T X, "
           "in fp64 or fp32) "
           "with every algorithm, checks each answer and compares the times.",
       .source_help = "Matrix Market file or generator spec",
       .default_source = "",
       .table = spmm_algorithms(),
       .load = load_matrix});
}
