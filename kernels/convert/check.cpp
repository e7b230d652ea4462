// Exact check of a conversion: the structure of the format, the entries of every row bit by bit,
// and the padding. Where a method promises no order within rows, the entries of a row are sorted on
// both sides before they are compared.
#include <algorithm>
#include <bit>
#include <utility>

#include "convert/convert.hpp"

namespace sparserepro {
namespace {

using Entries = std::vector<std::pair<index_t, std::uint64_t>>;  // column, bits of the value

std::string difference(const std::string& what, std::int64_t got, std::int64_t want) {
  return what + " is " + std::to_string(got) + ", expected " + std::to_string(want);
}

std::string dimension_error(index_t rows, index_t cols, const ConvertedCsr& want) {
  if (rows != want.rows) {
    return difference("rows", rows, want.rows);
  }
  return cols == want.cols ? "" : difference("cols", cols, want.cols);
}

std::string size_error(const char* array, std::size_t got, std::int64_t want) {
  const auto size = static_cast<std::int64_t>(got);
  return size == want ? "" : difference(std::string("length of ") + array, size, want);
}

std::string first_of(std::initializer_list<std::string> errors) {
  const auto* const found =
      std::find_if(errors.begin(), errors.end(), [](const auto& e) { return !e.empty(); });
  return found == errors.end() ? "" : *found;
}

std::string row_length_error(const Buffer<index_t>& row_length, const ConvertedCsr& want) {
  for (index_t i = 0; i < want.rows; ++i) {
    const std::int64_t length = want.row_ptr[i + 1] - want.row_ptr[i];
    if (row_length[i] != length) {
      return difference("row_length[" + std::to_string(i) + "]", row_length[i], length);
    }
  }
  return "";
}

std::string structure_error(const ConvertedCsr& got, const ConvertedCsr& want) {
  std::string error =
      first_of({dimension_error(got.rows, got.cols, want),
                size_error("row_ptr", got.row_ptr.size(), std::int64_t{want.rows} + 1),
                size_error("col_idx", got.col_idx.size(), want.nnz()),
                size_error("values", got.values.size(), want.nnz())});
  for (std::int64_t i = 0; error.empty() && i <= want.rows; ++i) {
    if (got.row_ptr[i] != want.row_ptr[i]) {
      error = difference("row_ptr[" + std::to_string(i) + "]", got.row_ptr[i], want.row_ptr[i]);
    }
  }
  return error;
}

std::string structure_error(const Ellpack& got, const ConvertedCsr& want) {
  std::int64_t width = 0;
  for (index_t i = 0; i < want.rows; ++i) {
    width = std::max(width, want.row_ptr[i + 1] - want.row_ptr[i]);
  }
  std::string error = first_of({dimension_error(got.rows, got.cols, want),
                                got.width == width ? "" : difference("width", got.width, width),
                                size_error("row_length", got.row_length.size(), want.rows),
                                size_error("col_idx", got.col_idx.size(), want.rows * width),
                                size_error("values", got.values.size(), want.rows * width)});
  return error.empty() ? row_length_error(got.row_length, want) : error;
}

std::string structure_error(const EllpackNoPadding& got, const ConvertedCsr& want) {
  std::string error = first_of({dimension_error(got.rows, got.cols, want),
                                size_error("row_length", got.row_length.size(), want.rows),
                                size_error("row_offset", got.row_offset.size(), want.rows),
                                size_error("col_idx", got.col_idx.size(), want.nnz()),
                                size_error("values", got.values.size(), want.nnz())});
  if (error.empty()) {
    error = row_length_error(got.row_length, want);
  }
  for (index_t i = 0; error.empty() && i < want.rows; ++i) {
    if (got.row_offset[i] != want.row_ptr[i]) {
      error =
          difference("row_offset[" + std::to_string(i) + "]", got.row_offset[i], want.row_ptr[i]);
    }
  }
  return error;
}

std::int64_t row_begin(const ConvertedCsr& a, index_t i) {
  return a.row_ptr[i];
}
std::int64_t row_begin(const Ellpack& a, index_t i) {
  return std::int64_t{i} * a.width;
}
std::int64_t row_begin(const EllpackNoPadding& a, index_t i) {
  return a.row_offset[i];
}

/// Sets `row` to the `length` entries of row i, sorted if `order` is EntryOrder::any.
template <class Format>
void take_row(const Format& a, index_t i, std::int64_t length, EntryOrder order, Entries& row) {
  row.clear();
  const std::int64_t begin = row_begin(a, i);
  for (std::int64_t p = begin; p < begin + length; ++p) {
    row.emplace_back(a.col_idx[p], std::bit_cast<std::uint64_t>(a.values[p]));
  }
  if (order == EntryOrder::any) {
    std::sort(row.begin(), row.end());
  }
}

template <class Format>
std::string entry_error(const Format& got, const ConvertedCsr& want, EntryOrder order) {
  Entries got_row, want_row;
  for (index_t i = 0; i < want.rows; ++i) {
    const std::int64_t length = want.row_ptr[i + 1] - want.row_ptr[i];
    take_row(got, i, length, order, got_row);
    take_row(want, i, length, order, want_row);
    const auto [g, w] = std::mismatch(got_row.begin(), got_row.end(), want_row.begin());
    if (g != got_row.end()) {
      return "row " + std::to_string(i) + ", entry " + std::to_string(g - got_row.begin()) +
             ": column " + std::to_string(g->first) + ", value " +
             std::to_string(std::bit_cast<double>(g->second)) + "; expected column " +
             std::to_string(w->first) + ", value " +
             std::to_string(std::bit_cast<double>(w->second));
    }
  }
  return "";
}

/// "" or the first padded slot without value +0 and the last column of its row (0 in an empty row).
std::string padding_error(const Ellpack& a) {
  for (index_t i = 0; i < a.rows; ++i) {
    const std::int64_t begin = row_begin(a, i);
    const std::int64_t used = begin + a.row_length[i];
    const index_t column = a.row_length[i] == 0 ? 0 : a.col_idx[used - 1];
    for (std::int64_t p = used; p < begin + a.width; ++p) {
      if (a.col_idx[p] != column || std::bit_cast<std::uint64_t>(a.values[p]) != 0) {
        return "padding of row " + std::to_string(i) + ", slot " + std::to_string(p - begin) +
               ": column " + std::to_string(a.col_idx[p]) + ", value " +
               std::to_string(a.values[p]) + "; expected column " + std::to_string(column) +
               ", value 0";
      }
    }
  }
  return "";
}

template <class Format>
std::string padding_error(const Format&) {
  return "";
}

}  // namespace

CheckOutcome ConvertProblem::check(const Converted& result, const ConvertedCsr& reference) const {
  const std::string error = std::visit(
      [&](const auto& got) {
        std::string found = structure_error(got, reference);
        if (found.empty()) {
          found = entry_error(got, reference, result.order);
        }
        return found.empty() ? padding_error(got) : found;
      },
      result.matrix);
  return {error.empty(),
          result.order == EntryOrder::any ? "exact_up_to_row_order" : "exact",
          error.empty() ? 0.0 : 1.0,
          0.0,
          error,
          {}};
}

}  // namespace sparserepro
