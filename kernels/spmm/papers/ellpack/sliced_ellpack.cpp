#include "spmm/papers/ellpack/sliced_ellpack.hpp"

#include <algorithm>
#include <numeric>

#include "formats/array_bytes.hpp"
#include "formats/ceil_div.hpp"
#include "formats/ellpack.hpp"
#include "harness/machine.hpp"

namespace sparserepro {
namespace {

/// A matrix with row, row_length and slice_ptr set.
template <class Offset>
SlicedEllpack lay_out(const Csr<Offset, double>& a, std::int64_t slice_height, std::int64_t sigma) {
  SlicedEllpack out{.rows = a.rows,
                    .cols = a.cols,
                    .slice_height = slice_height,
                    .slice_ptr = {},
                    .row = {},
                    .row_length = {},
                    .col_idx = {},
                    .values = {}};
  const auto length = [&](index_t i) {
    return static_cast<index_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
  };
  const auto rows = static_cast<std::int64_t>(a.rows);
  out.row.resize(static_cast<std::size_t>(rows));
  std::iota(out.row.begin(), out.row.end(), 0);
  if (sigma > 1) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(machine_info().cores_available)
    for (std::int64_t window = 0; window < ceil_div(rows, sigma); ++window) {
      std::stable_sort(out.row.begin() + window * sigma,
                       out.row.begin() + std::min(rows, (window + 1) * sigma),
                       [&](index_t i, index_t j) { return length(i) > length(j); });
    }
  }
  out.row_length.resize(static_cast<std::size_t>(rows));
  std::transform(out.row.begin(), out.row.end(), out.row_length.begin(), length);
  out.slice_ptr.push_back(0);
  for (std::int64_t place = 0; place < rows; place += slice_height) {
    const index_t width =
        *std::max_element(out.row_length.begin() + place,
                          out.row_length.begin() + std::min(rows, place + slice_height));
    out.slice_ptr.push_back(out.slice_ptr.back() + width * slice_height);
  }
  return out;
}

template <class Offset>
SlicedEllpack slice(const Csr<Offset, double>& a, std::int64_t slice_height, std::int64_t sigma) {
  SlicedEllpack out = lay_out(a, slice_height, sigma);
  const auto slots = static_cast<std::size_t>(out.slice_ptr.back());
  out.col_idx.resize(slots);
  out.values.resize(slots);
  const auto places = (static_cast<std::int64_t>(out.slice_ptr.size()) - 1) * slice_height;
#pragma omp parallel for schedule(static) num_threads(machine_info().cores_available)
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t s = place / slice_height;
    const std::int64_t begin = out.slice_ptr[s] + place % slice_height;
    const std::int64_t width = (out.slice_ptr[s + 1] - out.slice_ptr[s]) / slice_height;
    const index_t length = place < a.rows ? out.row_length[place] : 0;
    index_t column = 0;
    for (std::int64_t e = 0; e < width; ++e) {
      double value = 0.0;
      if (e < length) {
        const std::int64_t p = static_cast<std::int64_t>(a.row_ptr[out.row[place]]) + e;
        column = a.col_idx[p];
        value = a.values[p];
      }
      out.col_idx[begin + e * slice_height] = column;
      out.values[begin + e * slice_height] = value;
    }
  }
  return out;
}

}  // namespace

SlicedEllpack make_sliced_ellpack(const SpmmProblem& problem, std::int64_t slice_height,
                                  std::int64_t sigma) {
  return std::visit([&](const auto& a) { return slice(a, slice_height, sigma); }, problem.matrix());
}

std::int64_t stored_bytes(const SlicedEllpack& a) {
  return array_bytes(a.slice_ptr, a.row, a.row_length, a.col_idx, a.values);
}

std::string sliced_ellpack_refusal(const SpmmProblem& problem, std::int64_t slice_height,
                                   std::int64_t sigma) {
  const std::int64_t slots =
      std::visit([&](const auto& a) { return lay_out(a, slice_height, sigma).slice_ptr.back(); },
                 problem.matrix());
  if (slots <= max_ellpack_bytes / ellpack_bytes(1, 1)) {
    return "";
  }
  const std::int64_t stored = problem.shape().stored;
  return "padding every slice to its longest row stores " +
         std::to_string(
             static_cast<std::int64_t>(static_cast<double>(slots) / static_cast<double>(stored))) +
         " times the entries (padding factor) in " +
         std::to_string(ellpack_bytes(1, slots) / (1 << 20)) + " MiB; the limit is " +
         std::to_string(max_ellpack_bytes / (1 << 20)) + " MiB";
}

}  // namespace sparserepro
