// The public product on the host (include/sparserepro/spmm.hpp): types at run time in,
// BlockedProduct of one storage type behind. X and Y that do not lie in rows without gaps go
// through copies that do.
#include <optional>
#include <utility>

#include "formats/asked_threads.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "formats/convert.hpp"
#include "formats/dense_layout.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "spmm/omp_csr_blocked/blocked.hpp"
#include "spmm/omp_csr_blocked/path_refusal.hpp"

namespace sparserepro::host {

/// Multiplies as SpmmPlan does; arrays and options are checked.
class SpmmPlan::Method {
 public:
  virtual ~Method() = default;
  virtual void multiply(double alpha, const DenseInput& x, double beta, const DenseOutput& y) = 0;
  virtual void set_values(const ConstArray& values) = 0;
  virtual std::int64_t workspace_bytes() const = 0;

  std::int64_t rows = 0, cols = 0, k = 0;  ///< of op(A)
  CsrInput given;                          ///< A, with the values of now
};

namespace {

/// op(A) in CSR with columns of 32 bits: A where it lies, or A^T in memory of this, whose entries
/// keep the order of the rows of A.
template <class Element>
class Operand {
 public:
  /// The arrays of `a` outlive this.
  Operand(const CsrInput& a, Operation operation, int threads) : op_(a) {
    if (a.col_idx.type == DataType::int64) {
      columns_.resize(static_cast<std::size_t>(a.nnz));
      convert(static_cast<const std::int64_t*>(a.col_idx.data), columns_.size(), columns_.data(),
              threads);
      op_.col_idx = columns_.data();
    }
    if (operation == Operation::transpose) {
      transpose(threads);
    }
  }

  csr_blocks::RowPattern pattern() const {
    return {static_cast<index_t>(op_.rows), op_.row_ptr,
            static_cast<const index_t*>(op_.col_idx.data), static_cast<index_t>(op_.cols)};
  }
  const Element* values() const { return static_cast<const Element*>(op_.values.data); }

  /// `values` of A: values() has those of A^T from now on.
  void transpose_values(const ConstArray& values) {
    (*plan_)(values, {values_.data(), data_type_of<Element>()});
  }

  /// Where op(A) = A^T: the entries of A that those of A^T are.
  std::optional<IndexArray> places() const {
    return plan_ ? std::optional<IndexArray>(plan_->permutation()) : std::nullopt;
  }

  /// Frees the columns and values of A^T, where a copy has them.
  void release_entries() {
    if (plan_) {
      columns_ = Buffer<index_t>();
      values_ = Buffer<Element>();
      op_.values = {};
    }
  }

  std::int64_t bytes() const {
    return array_bytes(row_ptr_, columns_, values_) + (plan_ ? plan_->workspace_bytes() : 0);
  }

 private:
  void transpose(int threads) {
    const CsrInput a = op_;
    CsrInput pattern = a;
    pattern.values = {};
    const auto nnz = static_cast<std::size_t>(a.nnz);
    row_ptr_.resize((static_cast<std::size_t>(a.cols) + 1) * bytes_of(a.row_ptr.type));
    Buffer<index_t> rows(nnz);
    advise_huge_pages(rows);
    const Array row_ptr(row_ptr_.data(), a.row_ptr.type);
    plan_ = std::make_unique<TransposePlan>(pattern, CsrOutput{row_ptr, rows.data(), nullptr},
                                            TransposeOptions{threads}, PlanPath::gather);
    columns_ = std::move(rows);
    values_.resize(nnz);
    advise_huge_pages(values_);
    op_ = {a.cols,          a.rows,
           a.nnz,           {row_ptr.data, row_ptr.type},
           columns_.data(), {values_.data(), a.values.type}};
    if (nnz > 0) {
      transpose_values(a.values);
    }
  }

  CsrInput op_;
  Buffer<std::byte> row_ptr_;  // [cols + 1] of A^T, of the type of A's
  Buffer<index_t> columns_;    // [nnz] of A^T; of A where the caller's have 64 bits
  Buffer<Element> values_;     // [nnz] of A^T
  std::unique_ptr<TransposePlan> plan_;
};

template <class Element>
class TypedMethod final : public SpmmPlan::Method {
 public:
  TypedMethod(const CsrInput& a, std::int64_t columns, int threads, const SpmmOptions& options)
      : threads_(threads),
        operand_(a, options.operation, threads),
        product_(operand_.pattern(), operand_.values(), columns, threads, options.path,
                 options.calls) {
    rows = operand_.pattern().rows;
    cols = operand_.pattern().cols;
    given = a;
    k = columns;
    if (!product_.reads_entries()) {
      operand_.release_entries();
    }
  }

  void multiply(double a, const DenseInput& x, double b, const DenseOutput& y) override {
    const auto alpha = static_cast<csr_blocks::SumOf<Element>>(a);
    const auto beta = static_cast<csr_blocks::SumOf<Element>>(b);
    const auto* const x_data = packed_x(x);
    auto* const y_data = static_cast<Element*>(y.data.data);
    if (is_packed(y)) {
      return product_.multiply(alpha, x_data, beta, y_data);
    }
    packed_y_.resize(static_cast<std::size_t>(rows * k));
    const Steps packed{k, 1}, steps = steps_of(y);
    if (beta != 0) {
      copy_dense<Element>(y_data, steps, packed_y_.data(), packed, rows, k, threads_);
    }
    product_.multiply(alpha, x_data, beta, packed_y_.data());
    copy_dense<Element>(packed_y_.data(), packed, y_data, steps, rows, k, threads_);
  }
  void set_values(const ConstArray& values) override {
    const Element* const of_a = static_cast<const Element*>(values.data);
    if (const auto places = operand_.places()) {
      if (product_.reads_entries()) {
        operand_.transpose_values(values);
      }
      product_.set_values(operand_.values(),
                          [of_a, places = *places](std::int64_t p) { return of_a[places[p]]; });
    } else {
      product_.set_values(of_a, [of_a](std::int64_t p) { return of_a[p]; });
    }
  }
  std::int64_t workspace_bytes() const override {
    return operand_.bytes() + product_.workspace_bytes() + array_bytes(packed_x_, packed_y_);
  }

 private:
  const Element* packed_x(const DenseInput& x) {
    const auto* const data = static_cast<const Element*>(x.data.data);
    if (is_packed(x)) {
      return data;
    }
    packed_x_.resize(static_cast<std::size_t>(cols * k));
    copy_dense<Element>(data, steps_of(x), packed_x_.data(), {k, 1}, cols, k, threads_);
    return packed_x_.data();
  }

  int threads_;
  Operand<Element> operand_;
  BlockedProduct<Element> product_;
  Buffer<Element> packed_x_, packed_y_;  // [cols * k], [rows * k], once a layout asked for them
};

template <class Element>
std::unique_ptr<SpmmPlan::Method> method_of(const CsrInput& a, std::int64_t k, int threads,
                                            const SpmmOptions& options) {
  if (const std::string reason = path_refusal<Element>(options.path, k); !reason.empty()) {
    throw InputError(reason);
  }
  return std::make_unique<TypedMethod<Element>>(a, k, threads, options);
}

}  // namespace

SpmmPlan::SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options) {
  check_host_csr(a);
  const int threads = asked_threads(options.threads);
  check_range("calls", options.calls, std::numeric_limits<std::int64_t>::max());
  check_range("k", k, most_columns_of_x);
  const DataType type = product_type(a);
  method_ = type == DataType::fp64   ? method_of<double>(a, k, threads, options)
            : type == DataType::fp32 ? method_of<float>(a, k, threads, options)
            : type == DataType::fp16 ? method_of<Half>(a, k, threads, options)
                                     : method_of<Bfloat>(a, k, threads, options);
}

SpmmPlan::~SpmmPlan() = default;
SpmmPlan::SpmmPlan(SpmmPlan&&) noexcept = default;
SpmmPlan& SpmmPlan::operator=(SpmmPlan&&) noexcept = default;

void SpmmPlan::operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y) {
  check_dense("X", x, method_->cols, method_->k, product_type(method_->given));
  check_dense("Y", y, method_->rows, method_->k, product_type(method_->given));
  check_apart(place_of("Y", y), method_->given, {place_of("X", x)});
  method_->multiply(alpha, x, beta, y);
}

void SpmmPlan::set_values(const ConstArray& values) {
  check_values(values, method_->given.nnz, product_type(method_->given));
  if (method_->given.nnz > 0) {
    method_->set_values(values);
    method_->given.values = values;
  }
}

std::int64_t SpmmPlan::workspace_bytes() const {
  return method_->workspace_bytes();
}

void spmm(double alpha, const CsrInput& a, const DenseInput& x, double beta, const DenseOutput& y,
          const SpmmOptions& options) {
  SpmmPlan(a, x.cols, options)(alpha, x, beta, y);
}

}  // namespace sparserepro::host
