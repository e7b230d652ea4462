// Driver of the problem `convert`: conversion of a sparse matrix from coordinates to other formats.
#include "convert/convert.hpp"

#include "common/driver.hpp"
#include "io/load_matrix.hpp"

int main(int argc, char** argv) {
  using namespace sparserepro;
  return run_driver<ConvertProblem>(
      argc, argv,
      {.description = "Converts a sparse matrix from coordinates to CSR and ELLPACK with every "
                      "algorithm, checks each answer and compares the times.",
       .source_help = "Matrix Market file or generator spec",
       .default_source = "",
       .table = convert_algorithms(),
       .load = load_matrix});
}
