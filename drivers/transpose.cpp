// Driver of the problem `transpose`: transposition of a sparse matrix.
#include "transpose/transpose.hpp"

#include "common/driver.hpp"
#include "io/load_matrix.hpp"

namespace {

/// Source of the positionals: a file or spec, or ROWS COLS NNZ of a uniform random matrix. Throws
/// InputError for another number of words.
std::string source_from_positionals(const std::vector<std::string>& words) {
  if (words.size() == 3) {
    return "uniform:rows=" + words[0] + ",cols=" + words[1] + ",nnz=" + words[2];
  }
  if (words.size() != 1) {
    throw sparserepro::InputError("give one matrix, or the three numbers ROWS COLS NNZ");
  }
  return words.front();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace sparserepro;
  return run_driver<TransposeProblem>(
      argc, argv,
      {.description = "Transposes a sparse matrix (CSR to CSC) with every algorithm, checks each "
                      "answer and compares the times.",
       .source_help = "Matrix Market file, generator spec, or ROWS COLS NNZ of a uniform random "
                      "matrix [uniform:rows=500000,cols=500000,nnz=10000000]",
       .default_source = "uniform:rows=500000,cols=500000,nnz=10000000",
       .table = transpose_algorithms(),
       .load = load_matrix,
       .source_from_positionals = source_from_positionals});
}
