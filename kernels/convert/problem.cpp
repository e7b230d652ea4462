// Problem `convert`: its coordinates in the order that is asked for, and the traffic model.
#include <algorithm>
#include <numeric>
#include <utility>

#include "convert/convert.hpp"
#include "formats/row_length.hpp"
#include "generate/random.hpp"

namespace sparserepro {
namespace {

// Seed and stream of the permutation of `order = random`.
constexpr std::uint64_t order_seed = 1;
constexpr std::uint64_t order_stream = 1;

/// Positions of the entries in `a` in column-major order, rows ascending; [nnz].
std::vector<std::int64_t> column_major_order(const Csr<std::int64_t, double>& a) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(a.cols) + 1, 0);
  for (const index_t j : a.col_idx) {
    ++next[static_cast<std::size_t>(j) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::int64_t> order(a.col_idx.size());
  for (std::int64_t p = 0; p < a.nnz(); ++p) {
    order[next[a.col_idx[p]]++] = p;
  }
  return order;
}

/// A random permutation of [0, nnz) by the method of Fisher and Yates. The bias of the scaled
/// 64-bit draws is below nnz 2^-64.
std::vector<std::int64_t> random_order(std::int64_t nnz) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(nnz));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream stream(order_seed, Purpose::permutation, order_stream);
  for (std::int64_t last = nnz - 1; last > 0; --last) {
    const auto scaled = static_cast<unsigned __int128>(stream.bits64()) * (last + 1);
    std::swap(order[last], order[static_cast<std::int64_t>(scaled >> 64)]);
  }
  return order;
}

std::vector<std::int64_t> entry_order(const Csr<std::int64_t, double>& a,
                                      const std::string& order) {
  if (order == "column_major") {
    return column_major_order(a);
  }
  if (order == "random") {
    return random_order(a.nnz());
  }
  std::vector<std::int64_t> stored(a.col_idx.size());
  std::iota(stored.begin(), stored.end(), std::int64_t{0});
  return stored;
}

}  // namespace

std::vector<Parameter> ConvertProblem::instance_parameters() {
  return {{"order",
           "column_major",
           {"column_major", "row_major", "random"},
           "order of the entries in the input (COO)"}};
}

ConvertProblem::ConvertProblem(const Matrix& matrix, const Params& instance)
    : shape_{matrix.csr.rows, matrix.csr.cols, matrix.stored() - matrix.explicit_zeros,
             matrix.stored()} {
  const Csr<std::int64_t, double>& a = matrix.csr;
  Buffer<index_t> row_of(a.col_idx.size());
  for (index_t i = 0; i < a.rows; ++i) {
    std::fill(row_of.begin() + a.row_ptr[i], row_of.begin() + a.row_ptr[i + 1], i);
    longest_row_ = std::max(longest_row_, row_length(i, a.row_ptr[i + 1] - a.row_ptr[i]));
  }
  const std::vector<std::int64_t> order = entry_order(a, instance.text("order"));
  coo_.rows = a.rows;
  coo_.cols = a.cols;
  coo_.row_idx.resize(order.size());
  coo_.col_idx.resize(order.size());
  coo_.values.resize(matrix.field == "pattern" ? 0 : order.size());
  for (std::size_t e = 0; e < order.size(); ++e) {
    coo_.row_idx[e] = row_of[order[e]];
    coo_.col_idx[e] = a.col_idx[order[e]];
  }
  for (std::size_t e = 0; e < coo_.values.size(); ++e) {
    coo_.values[e] = a.values[order[e]];
  }
}

Model ConvertProblem::model() const {
  const double nnz = static_cast<double>(coo_.nnz());
  const double read = 2 * sizeof(index_t) + (coo_.pattern() ? 0 : sizeof(double));
  const double written = sizeof(index_t) + sizeof(double);
  return {nnz * (read + written) + sizeof(std::int64_t) * (static_cast<double>(coo_.rows) + 1),
          0.0};
}

}  // namespace sparserepro
