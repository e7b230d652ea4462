// Problem `transpose`: storage types of the instance, the exact check and the traffic model.
#include <algorithm>
#include <cstdint>

#include "formats/available_cores.hpp"
#include "formats/partition.hpp"
#include "transpose/transpose.hpp"
#include "transpose/two_passes.hpp"

namespace sparserepro {
namespace {

template <class Offset>
AnyCsr store_as(const Matrix& matrix, const std::string& value_type) {
  if (value_type == "fp64") {
    return csr_cast<Offset, double>(matrix.csr);
  }
  if (value_type == "fp32") {
    return csr_cast<Offset, float>(matrix.csr);
  }
  return csr_cast<Offset, Pattern>(matrix.csr);
}

/// Index of the first element in which two arrays of one length differ; their length if none does.
template <class Array>
std::int64_t first_unequal(const Array& got, const Array& want) {
  const auto size = static_cast<std::int64_t>(want.size());
  const int parts = available_cores();
  std::int64_t first = size;
#pragma omp parallel for num_threads(parts) schedule(static, 1) reduction(min : first)
  for (int part = 0; part < parts; ++part) {
    const auto end = got.begin() + part_begin(size, parts, part + 1);
    const auto begin = part_begin(size, parts, part);
    const auto found = std::mismatch(got.begin() + begin, end, want.begin() + begin).first;
    if (found != end) {
      first = std::min<std::int64_t>(first, found - got.begin());
    }
  }
  return first;
}

/// "" or a message about the first difference of two matrices of one type.
template <class Offset, class Value>
std::string first_difference(const Csr<Offset, Value>& got, const Csr<Offset, Value>& want) {
  const auto at = [](const char* array, std::size_t i, auto g, auto w) {
    return std::string(array) + "[" + std::to_string(i) + "] is " + std::to_string(g) +
           ", expected " + std::to_string(w);
  };
  if (got.rows != want.rows || got.cols != want.cols || got.nnz() != want.nnz()) {
    return "shape " + std::to_string(got.rows) + " x " + std::to_string(got.cols) + ", " +
           std::to_string(got.nnz()) + " entries; expected " + std::to_string(want.rows) + " x " +
           std::to_string(want.cols) + ", " + std::to_string(want.nnz());
  }
  const auto differ = [&](const char* array, const auto& g, const auto& w) -> std::string {
    if (g.size() != w.size()) {
      return std::string(array) + " has " + std::to_string(g.size()) + " elements, expected " +
             std::to_string(w.size());
    }
    const auto i = static_cast<std::size_t>(first_unequal(g, w));
    return i == g.size() ? "" : at(array, i, g[i], w[i]);
  };
  std::string found = differ("row_ptr", got.row_ptr, want.row_ptr);
  if (found.empty()) {
    found = differ("col_idx", got.col_idx, want.col_idx);
  }
  if constexpr (has_values<Value>) {
    if (found.empty()) {
      found = differ("values", got.values, want.values);
    }
  }
  return found;
}

}  // namespace

std::vector<Parameter> TransposeProblem::instance_parameters() {
  return {
      {"value_type",
       "fp64",
       {"fp64", "fp32", "pattern"},
       "type of the stored values; pattern: no values"},
      {"offset_bits",
       std::int64_t{32},
       {std::int64_t{32}, std::int64_t{64}},
       "bits of a row pointer"},
  };
}

TransposeProblem::TransposeProblem(const Matrix& matrix, const Params& instance)
    : matrix_(instance.integer("offset_bits") == 32
                  ? store_as<std::int32_t>(matrix, instance.text("value_type"))
                  : store_as<std::int64_t>(matrix, instance.text("value_type"))),
      shape_{matrix.csr.rows, matrix.csr.cols, matrix.stored() - matrix.explicit_zeros,
             matrix.stored()} {}

AnyCsr TransposeProblem::reference() const {
  return std::visit([](const auto& a) -> AnyCsr { return transpose_reference(a); }, matrix_);
}

CheckOutcome TransposeProblem::check(const Result& result, const Result& reference) const {
  const std::string difference =
      result.index() != reference.index()
          ? "the answer has another storage type"
          : std::visit(
                [&](const auto& want) {
                  return first_difference(std::get<std::decay_t<decltype(want)>>(result), want);
                },
                reference);
  return {difference.empty(), "exact", difference.empty() ? 0.0 : 1.0, 0.0, difference, {}};
}

Model TransposeProblem::model() const {
  return std::visit(
      [](const auto& a) -> Model {
        using Matrix_ = std::decay_t<decltype(a)>;
        const double entry = sizeof(index_t) + value_bytes<typename Matrix_::value_type>;
        const double entries = entry * static_cast<double>(a.nnz());
        const double pointers =
            (static_cast<double>(a.rows) + a.cols + 2) * sizeof(typename Matrix_::offset_type);
        Model model{2 * entries + pointers, 0.0, {}};
        if (needs_two_passes(a)) {
          model.second = {.name = "two_passes",
                          .copied_bytes = 4 * entries + pointers,
                          .table_bytes = static_cast<std::int64_t>(entries)};
        }
        return model;
      },
      matrix_);
}

}  // namespace sparserepro
