// Product of a sparse matrix and a dense one on a CUDA device, Y = alpha A X + beta Y in fp64.
//
// The answer is the same bits in every run: matrix, K and path alone fix the order of each sum, and
// nothing is added by atomic operations. Arrays are in memory of the device, aligned to 16 bytes;
// workspaces, to 256. No function allocates device memory. All work belongs to the device that is
// current when it is asked for.
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
  natural,   ///< rows as they are
  binned,    ///< rows by length, rounded up to a power of two
  grouped,   ///< up to three successive rows with the same columns share loads
  streamed,  ///< tasks of consecutive rows with about as many entries
  flat,      ///< K = 1: tasks of a fixed number of entries, across rows
  uncut      ///< natural, and long rows are not cut into segments
};

/// "automatic", "natural", ...
constexpr const char* to_string(SpmmPath path) {
  constexpr const char* names[] = {"automatic", "natural", "binned", "grouped",
                                   "streamed",  "flat",    "uncut"};
  return names[static_cast<int>(path)];
}

struct SpmmOptions {
  SpmmPath path = SpmmPath::automatic;
};

/// A analysed for products with X of `k` columns.
class SpmmPlan {
 public:
  /// `a` in fp64, in memory of the current device; its arrays must outlive this, and row_ptr and
  /// col_idx stay as they are from `analyse` on. Throws InputError where a limit is exceeded.
  SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options = {});
  ~SpmmPlan();
  SpmmPlan(SpmmPlan&&) noexcept;
  SpmmPlan& operator=(SpmmPlan&&) noexcept;

  /// Device memory that `analyse` wants, whatever the entries.
  std::size_t analysis_bytes() const;

  /// Looks at the rows, on `stream`, and waits for it. `workspace` [bytes] belongs to this from now
  /// on.
  void analyse(void* workspace, std::size_t bytes, Stream stream);

  /// Device memory that a product wants, after `analyse`; often none.
  std::size_t product_bytes() const;

  /// Queues Y = alpha A X + beta Y on `stream`; with beta = 0, Y is not read. X [cols x k] and Y
  /// [rows x k] in fp64, with stride k, apart from each other. `workspace` [bytes] is in use until
  /// the product has ended. Products on several streams may run at once, with a workspace each;
  /// with path flat they follow each other.
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
