// Problem `spmm`: A in the storage type of the instance, X, and the traffic model.
#include <algorithm>
#include <utility>

#include "generate/random.hpp"
#include "harness/machine.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {
namespace {

constexpr std::uint64_t x_seed = 1;

SpmmMatrix store_as(const Csr<std::int64_t, double>& a, std::int64_t offset_bits) {
  if (offset_bits == 32) {
    return csr_cast<std::int32_t, double>(a);
  }
  return csr_cast<std::int64_t, double>(a);
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
      {"k", std::int64_t{8}, {}, "columns of X and Y"},
      {"x_range", "signed", {"signed", "unit"}, "elements of X: in [-1, 1], or in [0, 1)"},
      {"offset_bits",
       std::int64_t{32},
       {std::int64_t{32}, std::int64_t{64}},
       "width of the row pointers"},
  };
}

SpmmProblem::SpmmProblem(const Matrix& matrix, const Params& instance)
    : SpmmProblem(matrix,
                  random_multivector(matrix.csr.cols, instance.integer("k"),
                                     instance.text("x_range") == "signed"),
                  instance.integer("offset_bits")) {}

SpmmProblem::SpmmProblem(const Matrix& matrix, Dense x, std::int64_t offset_bits)
    : matrix_(store_as(matrix.csr, offset_bits)),
      x_(std::move(x)),
      shape_{matrix.csr.rows, matrix.csr.cols, matrix.stored() - matrix.explicit_zeros,
             matrix.stored()} {
  if (x_.rows != shape_.cols) {
    throw InputError("X has " + std::to_string(x_.rows) + " rows for a matrix of " +
                     std::to_string(shape_.cols) + " columns");
  }
  for (index_t i = 0; i < matrix.csr.rows; ++i) {
    longest_row_ = std::max(
        longest_row_, static_cast<index_t>(matrix.csr.row_ptr[i + 1] - matrix.csr.row_ptr[i]));
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
  const double a_bytes = stored * (sizeof(index_t) + sizeof(double)) + offset_bytes * (rows + 1);
  const double row_bytes = sizeof(double) * columns;
  Model model{a_bytes + row_bytes * (rows + cols), 2 * stored * columns, {}};
  if (stored > 0 && k() > 0) {
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
