#include "spmm/papers/ellpack/ellpack_formats.hpp"

#include <algorithm>

#include "formats/array_bytes.hpp"

namespace sparserepro {
namespace {

template <class Offset>
Ellpack pad(const Csr<Offset, double>& a, index_t width) {
  Ellpack out{.rows = a.rows,
              .cols = a.cols,
              .width = width,
              .row_length = {},
              .col_idx = {},
              .values = {}};
  const auto slots = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(width);
  out.row_length.resize(static_cast<std::size_t>(a.rows));
  out.col_idx.resize(slots);
  out.values.resize(slots);
  for (index_t i = 0; i < a.rows; ++i) {
    const auto length = static_cast<index_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
    const std::int64_t begin = std::int64_t{i} * width;
    out.row_length[i] = length;
    std::copy_n(a.col_idx.data() + a.row_ptr[i], length, out.col_idx.data() + begin);
    std::copy_n(a.values.data() + a.row_ptr[i], length, out.values.data() + begin);
    const index_t column = length == 0 ? 0 : out.col_idx[begin + length - 1];
    std::fill_n(out.col_idx.data() + begin + length, width - length, column);
    std::fill_n(out.values.data() + begin + length, width - length, 0.0);
  }
  return out;
}

template <class Offset>
EllpackNoPadding offsets_and_lengths(const Csr<Offset, double>& a) {
  EllpackNoPadding out{.rows = a.rows,
                       .cols = a.cols,
                       .row_length = {},
                       .row_offset = {},
                       .col_idx = a.col_idx,
                       .values = a.values};
  out.row_length.resize(static_cast<std::size_t>(a.rows));
  out.row_offset.resize(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i) {
    out.row_offset[i] = a.row_ptr[i];
    out.row_length[i] = static_cast<index_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
  }
  return out;
}

}  // namespace

Ellpack make_ellpack(const SpmmProblem& problem) {
  return std::visit([&](const auto& a) { return pad(a, problem.longest_row()); }, problem.matrix());
}

EllpackNoPadding make_ellpack_no_padding(const SpmmProblem& problem) {
  return std::visit([](const auto& a) { return offsets_and_lengths(a); }, problem.matrix());
}

std::string ellpack_refusal(const SpmmProblem& problem, const Params&) {
  return padding_refusal(problem.shape().rows, problem.longest_row(), problem.shape().stored);
}

std::int64_t stored_bytes(const Ellpack& a) {
  return array_bytes(a.row_length, a.col_idx, a.values);
}

std::int64_t stored_bytes(const EllpackNoPadding& a) {
  return array_bytes(a.row_length, a.row_offset, a.col_idx, a.values);
}

}  // namespace sparserepro
