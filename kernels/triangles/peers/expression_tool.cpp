// A worker reads from its standard input n and nnz (int64), row_ptr [n+1] (int64) and col_idx [nnz]
// (int32), answers "ready", then answers each byte with the value of the expression. It ends with
// its input. Octave must not read by lines: fgetl looks at the byte behind the newline, and waits
// for it. The matrix has fp64 ones, as MATLAB's sparse matrices do; sums are exact to 2^53.
#include "triangles/peers/expression_tool.hpp"

#include <cstdlib>
#include <stdexcept>

#include "triangles/peers/child_process.hpp"

namespace sparserepro {
namespace {

constexpr const char* octave_worker = R"(
size_ = fread(stdin, 2, 'int64=>double');
row_ptr = fread(stdin, size_(1) + 1, 'int64=>double');
column = fread(stdin, size_(2), 'int32=>double');
row = lookup(row_ptr, (0:size_(2) - 1)');
A = sparse(row, column + 1, 1, size_(1), size_(1));
clear row_ptr column row;
puts("ready\n"); fflush(stdout);
while ! isempty(fread(stdin, 1))
  T = sum(sum((A * A) .* A)) / 6;
  printf("%.0f\n", full(T)); fflush(stdout);
end
)";

constexpr const char* scipy_worker = R"(
import sys
import numpy as np
import scipy.sparse as sp
source = sys.stdin.buffer
def read(count, dtype):
    return np.frombuffer(source.read(int(count) * np.dtype(dtype).itemsize), dtype=dtype)
n, nnz = (int(x) for x in read(2, np.int64))
row_ptr = read(n + 1, np.int64)
column = read(nnz, np.int32)
A = sp.csr_matrix((np.ones(nnz), column, row_ptr), shape=(n, n))
print("ready", flush=True)
while source.read(1):
    T = (A @ A).multiply(A).sum() / 6
    print(format(T, ".0f"), flush=True)
)";

/// First line that a command prints; "" when it cannot be started or prints none.
std::string first_line(const std::vector<std::string>& argv) {
  try {
    return ChildProcess(argv).receive_line();
  } catch (const std::runtime_error&) {
    return "";
  }
}

}  // namespace

std::optional<ExpressionTool> find_octave() {
  const std::string prefix = "GNU Octave, version ";
  for (const char* const program : {"octave-cli", "octave"}) {
    const std::string line = first_line({program, "--version"});
    if (line.starts_with(prefix)) {
      return ExpressionTool{"octave",
                            line.substr(prefix.size()),
                            {program, "--norc", "--no-history", "--eval", octave_worker}};
    }
  }
  return std::nullopt;
}

std::string expression_python() {
  const char* const chosen = std::getenv("SPARSEREPRO_PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

std::optional<ExpressionTool> find_scipy() {
  const std::string python = expression_python();
  const std::string version =
      first_line({python, "-c", "import scipy, scipy.sparse; print(scipy.__version__)"});
  if (version.empty()) {
    return std::nullopt;
  }
  return ExpressionTool{"scipy", version, {python, "-c", scipy_worker}};
}

}  // namespace sparserepro
