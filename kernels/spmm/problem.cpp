// Problem `spmm`: A in the storage type of the instance, X, and the traffic model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formats/public_views.hpp"
#include "formats/row_length.hpp"
#include "generate/random.hpp"
#include "harness/machine.hpp"
#include "sparserepro/error.hpp"
#include "sparserepro/transpose.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {
namespace {

constexpr std::uint64_t x_seed = 1;

std::string text_or(const Params& instance, const char* name, const char* fallback) {
  return instance.has(name) ? instance.text(name) : fallback;
}
bool is_transposed(const Params& instance) {
  return text_or(instance, "op", "none") == "transpose";
}

SpmmMatrix store_as(const Csr<std::int64_t, double>& a, std::int64_t offset_bits) {
  if (offset_bits == 32) {
    return csr_cast<std::int32_t, double>(a);
  }
  return csr_cast<std::int64_t, double>(a);
}

/// The number of columns of the instance, as libraries count them in 32 bits. Throws InputError
/// where X or Y would have more elements than memory has addresses.
std::int64_t columns_of(const Csr<std::int64_t, double>& a, const Params& instance) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 58;
  const std::int64_t rows = std::max<std::int64_t>({a.rows, a.cols, 1});
  const std::int64_t most =
      std::min<std::int64_t>(std::numeric_limits<std::int32_t>::max(), most_elements / rows);
  const std::int64_t k = instance.integer("k");
  if (k > most) {
    throw InputError("k = " + std::to_string(k) + ": must be at most " + std::to_string(most) +
                     " for a matrix of " + std::to_string(a.rows) + " x " + std::to_string(a.cols));
  }
  return k;
}

/// Row n is drawn from stream n, so that its first columns do not depend on k.
Dense random_multivector(std::int64_t rows, std::int64_t k, bool with_sign) {
  Dense x(rows, k);
#pragma omp parallel for schedule(static) num_threads(machine_info().cores_available)
  for (std::int64_t n = 0; n < rows; ++n) {
    RandomStream stream(x_seed, Purpose::dense_operand, static_cast<std::uint64_t>(n));
    for (std::int64_t j = 0; j < k; ++j) {
      x(n, j) = with_sign ? nonzero_value(stream.bits64()) : stream.unit();
    }
  }
  return x;
}

}  // namespace

std::vector<Parameter> SpmmProblem::instance_parameters() {
  return {
      {"k", std::int64_t{8}, {}, "number of columns of X and Y"},
      {"x_range",
       "signed",
       {"signed", "unit"},
       "range of the elements of X; signed: [-1, 1], unit: [0, 1)"},
      {"offset_bits",
       std::int64_t{32},
       {std::int64_t{32}, std::int64_t{64}},
       "bits of a row pointer"},
      {"op", "none", {"none", "transpose"}, "none: Y = A X; transpose: Y = A^T X; A is in CSR"},
      {"value_type", "fp64", {"fp64", "fp32"}, "type of A, X, Y and of the sums"},
  };
}

SpmmProblem::SpmmProblem(const Matrix& matrix, const Params& instance)
    : SpmmProblem(matrix, instance.integer("offset_bits"),
                  random_multivector(is_transposed(instance) ? matrix.csr.rows : matrix.csr.cols,
                                     columns_of(matrix.csr, instance),
                                     instance.text("x_range") == "signed")) {
  if (is_transposed(instance)) {
    op_ = Operation::transpose;
    transposed_ = std::visit(
        [](const auto& a) -> SpmmMatrix {
          std::decay_t<decltype(a)> out(a.cols, a.rows, a.nnz());
          host::transpose(public_view(a), public_output(out));
          return out;
        },
        matrix_);
  }
  if (text_or(instance, "value_type", "fp64") == "fp32") {
    value_type_ = DataType::fp32;
    round_to_fp32();
  }
  for (const auto& [name, value] : instance) {
    const bool implied = (name == "op" && op_ == Operation::none) ||
                         (name == "value_type" && value_type_ == DataType::fp64);
    if (!implied) {
      given_.set(name, value);
    }
  }
}

Params SpmmProblem::parameters() const {
  return given_;
}

void SpmmProblem::round_to_fp32() {
  constexpr std::int64_t most = 1 << 23;  // n u <= 1/2
  const auto round = [](Buffer<double>& values) {
    Buffer<float> rounded;
    rounded.resize(values.size());
    for (std::size_t e = 0; e < values.size(); ++e) {
      rounded[e] = static_cast<float>(values[e]);
      if (!std::isfinite(rounded[e])) {
        throw InputError("a value of A is beyond the largest of fp32");
      }
      values[e] = rounded[e];
    }
    return rounded;
  };
  values_fp32_ = std::visit([&](auto& a) { return round(a.values); }, matrix_);
  x_fp32_ = round(x_.data);
  if (op_ == Operation::transpose) {
    std::visit([&](auto& a) { round(a.values); }, transposed_);
  }
  std::visit(
      [&](const auto& a) {
        for (index_t i = 0; i < a.rows; ++i) {
          if (a.row_ptr[i + 1] - a.row_ptr[i] > most) {
            throw InputError("a row of " + std::to_string(a.row_ptr[i + 1] - a.row_ptr[i]) +
                             " entries; sums in fp32 have a bound up to " + std::to_string(most));
          }
        }
      },
      product_matrix());
}

SpmmProblem::SpmmProblem(const Matrix& matrix, Dense x, std::int64_t offset_bits)
    : SpmmProblem(matrix, offset_bits, std::move(x)) {
  if (x_.rows != shape_.cols) {
    throw InputError("X has " + std::to_string(x_.rows) + " rows for a matrix of " +
                     std::to_string(shape_.cols) + " columns");
  }
}

SpmmProblem::SpmmProblem(const Matrix& matrix, std::int64_t offset_bits, Dense x)
    : matrix_(store_as(matrix.csr, offset_bits)),
      x_(std::move(x)),
      shape_{matrix.csr.rows, matrix.csr.cols, matrix.stored() - matrix.explicit_zeros,
             matrix.stored()} {
  for (index_t i = 0; i < matrix.csr.rows; ++i) {
    longest_row_ =
        std::max(longest_row_, row_length(i, matrix.csr.row_ptr[i + 1] - matrix.csr.row_ptr[i]));
  }
}

Model SpmmProblem::model() const {
  const double rows = static_cast<double>(shape_.rows);
  const double cols = static_cast<double>(shape_.cols);
  const double stored = static_cast<double>(shape_.stored);
  const double columns = static_cast<double>(k());
  const double offset_bytes = std::visit(
      [](const auto& a) -> double {
        return sizeof(typename std::decay_t<decltype(a)>::offset_type);
      },
      matrix_);
  const auto value_bytes = static_cast<double>(bytes_of(value_type_));
  const double a_bytes = stored * (sizeof(index_t) + value_bytes) + offset_bytes * (rows + 1);
  const double row_bytes = value_bytes * columns;
  Model model{a_bytes + row_bytes * (rows + cols), 2 * stored * columns, {}};
  if (stored > 0 && k() > 0 && op_ == Operation::none) {
    model.second = {.name = "gather",
                    .copied_bytes = a_bytes + row_bytes * rows,
                    .gathered_bytes = stored * row_bytes,
                    .row_bytes = static_cast<std::int64_t>(row_bytes),
                    .table_bytes = static_cast<std::int64_t>(row_bytes * cols),
                    .panel_bytes = a_bytes};
  }
  return model;
}

}  // namespace sparserepro
