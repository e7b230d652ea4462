#include "spmm/cuda_host.hpp"

#include "formats/available_cores.hpp"
#include "formats/huge_pages.hpp"
#include "harness/machine.hpp"

namespace sparserepro {
namespace {

template <class Offset>
SpmmItems list_items(const Csr<Offset, double>& a, std::int64_t k, std::int64_t threshold) {
  Buffer<index_t> rows;
  rows.reserve(static_cast<std::size_t>(a.rows));
  const auto append = [&](bool shorter) {
    for (index_t i = 0; i < a.rows; ++i) {
      if ((a.row_ptr[i + 1] - a.row_ptr[i] < threshold) == shorter) {
        rows.push_back(i);
      }
    }
  };
  SpmmItems out;
  append(true);
  out.short_items = static_cast<std::int64_t>(rows.size()) * k;
  append(false);
  out.list.resize(rows.size() * static_cast<std::size_t>(k));
#pragma omp parallel for schedule(static) num_threads(available_cores())
  for (index_t r = 0; r < a.rows; ++r) {
    for (std::int64_t z = 0; z < k; ++z) {
      out.list[r * k + z] = {rows[r], static_cast<index_t>(z)};
    }
  }
  return out;
}

template <class Value>
Dense copied(const Buffer<Value>& y, std::int64_t rows, std::int64_t k) {
  Dense out(rows, k);
  advise_huge_pages(out.data);
  const auto elements = static_cast<std::int64_t>(y.size());
#pragma omp parallel for schedule(static) num_threads(available_cores())
  for (std::int64_t e = 0; e < elements; ++e) {
    out.data[e] = y[e];
  }
  return out;
}

}  // namespace

Dense dense_of(const Buffer<double>& y, std::int64_t rows, std::int64_t k) {
  return copied(y, rows, k);
}

Dense dense_of(const Buffer<float>& y, std::int64_t rows, std::int64_t k) {
  return copied(y, rows, k);
}

SpmmItems items_by_row_length(const Csr<std::int32_t, double>& a, std::int64_t k,
                              std::int64_t threshold) {
  return list_items(a, k, threshold);
}

SpmmItems items_by_row_length(const Csr<std::int64_t, double>& a, std::int64_t k,
                              std::int64_t threshold) {
  return list_items(a, k, threshold);
}

}  // namespace sparserepro
