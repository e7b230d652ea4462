// Product of a sparse matrix and a dense one on a CUDA device, Y = alpha op(A) X + beta Y, op(A) =
// A or A^T.
//
// A, X and Y are of one type: fp64, with sums in fp64; or fp32, fp16 or bf16, with sums, alpha and
// beta in fp32 and one rounding to the type of Y at the end. The answer is the same bits in every
// run and for every layout of X and Y: matrix, K, type and path alone fix the order of each sum,
// and nothing is added by atomic operations. Arrays are in memory of the device, aligned to 16
// bytes; workspaces, to 256. No function allocates device memory. All work belongs to the device
// that is current when it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sparserepro/arrays.hpp"
#include "sparserepro/device/stream.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::device {

/// The order in which rows are taken; `automatic` chooses by K, the lengths and the columns.
enum class SpmmPath : std::uint8_t {
  automatic,
  natural,    ///< rows as they are
  binned,     ///< rows by length, rounded up to a power of two
  grouped,    ///< up to four successive rows with the same columns share loads
  packed,     ///< rows as they are, teams of just the lanes that they need, side by side
  staged,     ///< packed, through shared memory; long rows are not cut into segments
  blocks,     ///< a block of threads a row; long rows are not cut into segments
  flat,       ///< equal shares of the entries, wherever rows begin; K = 1: fp64 and fp32
  merged,     ///< K = 1: tasks of about as many rows and entries, without statistics of the rows
  uncut,      ///< natural, and long rows are not cut into segments
  short_rows  ///< packed, with more loads and rows a thread; long rows are not cut into segments
};

/// "automatic", "natural", ...
constexpr const char* to_string(SpmmPath path) {
  constexpr const char* names[] = {"automatic", "natural", "binned",    "grouped",
                                   "packed",    "staged",  "blocks",    "flat",
                                   "merged",    "uncut",   "short_rows"};
  return names[static_cast<int>(path)];
}

struct SpmmOptions {
  SpmmPath path = SpmmPath::automatic;
  Operation operation = Operation::none;
  std::int64_t calls = 0;  ///< products that will follow the analysis, 0: many
};

/// A analysed for products with X of `k` columns.
class SpmmPlan {
 public:
  /// `a` is in memory of the current device; its arrays must outlive this, and row_ptr and col_idx
  /// stay as they are from `analyse` on. With op(A) = A^T they may go after `analyse`, which path
  /// merged ends before the device does: then after its work on the stream. The plan holds the
  /// pattern and the values of A^T. Throws InputError where a limit is exceeded.
  SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options = {});
  ~SpmmPlan();
  SpmmPlan(SpmmPlan&&) noexcept;
  SpmmPlan& operator=(SpmmPlan&&) noexcept;

  /// Device memory that `analyse` wants, whatever the entries.
  std::size_t analysis_bytes() const;

  /// Looks at the rows of op(A), on `stream`, and waits for it; not with path merged, which needs
  /// nothing. With op(A) = A^T, transposes A first. `workspace` [bytes] belongs to this from now
  /// on. After an exception there is no analysis, and calls are refused.
  void analyse(void* workspace, std::size_t bytes, Stream stream);

  /// From now on A has the values `values` [nnz], in the order of A's entries and of their type;
  /// rows and columns stay. With op(A) = A the array must outlive this, and products read it as it
  /// is when they run. With op(A) = A^T the values are moved to their places on `stream`: a change
  /// of values needs a new call, which follows the products before it. After `analyse`; does not
  /// wait.
  void set_values(const ConstArray& values, Stream stream);

  /// Device memory that a product wants, after `analyse`; often none. Without operands: for X and Y
  /// in rows with stride k. With another layout or stride, X and Y go through the workspace.
  std::size_t product_bytes() const;
  std::size_t product_bytes(const DenseInput& x, const DenseOutput& y) const;

  /// Queues Y = alpha op(A) X + beta Y on `stream`; with beta = 0, Y is not read. op(A) is m x n; X
  /// [n x k] and Y [m x k] are of the type of A. Throws InputError where Y shares memory with X or,
  /// with op(A) = A, the arrays of A; columns of one array, some for X and some for Y, are apart.
  /// `workspace` [bytes] is in use until the product has ended. Products on several streams may run
  /// at once, with a workspace each; with path flat and K = 1 they follow each other.
  void operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y,
                  void* workspace, std::size_t bytes, Stream stream) const;

  /// The path that the analysis chose, and numbers about it.
  SpmmPath path() const;
  std::vector<std::pair<std::string, double>> facts() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace sparserepro::device
