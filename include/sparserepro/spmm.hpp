// Product of a sparse matrix and a dense one on the host, Y = alpha A X + beta Y in fp64.
//
// The answer is the same bits for any number of threads, and on every processor with the same
// vector extensions.
#pragma once

#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::host {

/// The last layout of bundles of rows that may be used: each needs more of the rows than the one
/// before.
enum class SpmmPath : std::uint8_t { automatic, rows, lanes, shifted, band };

/// "automatic", "rows", ...
constexpr const char* to_string(SpmmPath path) {
  constexpr const char* names[] = {"automatic", "rows", "lanes", "shifted", "band"};
  return names[static_cast<int>(path)];
}

struct SpmmOptions {
  int threads = 0;  ///< 0: all processors that this process may use
  SpmmPath path = SpmmPath::automatic;
};

/// A prepared for products with X of `k` columns. Preparation costs a few products; it copies the
/// entries of A in another order.
class SpmmPlan {
 public:
  /// `a` in fp64; its arrays must outlive this, and their contents stay. Throws InputError where
  /// `a`, `k` or the path is beyond a limit, std::bad_alloc without memory.
  SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options = {});
  ~SpmmPlan();
  SpmmPlan(SpmmPlan&&) noexcept;
  SpmmPlan& operator=(SpmmPlan&&) noexcept;

  /// Y = alpha A X + beta Y; with beta = 0, Y is not read. X [cols x k] and Y [rows x k] in fp64,
  /// with stride k, apart from each other. With alpha = 1 and beta = 0 the product is written
  /// straight to Y; else it goes through memory of this. One call at a time.
  void operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y);

  /// Bytes that this holds beyond A, X and Y.
  std::int64_t workspace_bytes() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// Y = alpha A X + beta Y once: preparation and product.
void spmm(double alpha, const CsrInput& a, const DenseInput& x, double beta, const DenseOutput& y,
          const SpmmOptions& options = {});

}  // namespace sparserepro::host
