// The public product on the host (include/sparserepro/spmm.hpp): types at run time in,
// BlockedProduct of one storage type behind. Column numbers of 64 bits are copied to 32.
#include <algorithm>
#include <utility>

#include "formats/available_cores.hpp"
#include "formats/check_arrays.hpp"
#include "spmm/omp_csr_blocked/blocked.hpp"

namespace sparserepro::host {

/// Multiplies as SpmmPlan does; arrays and options are checked.
class SpmmPlan::Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual void multiply(double alpha, const double* x, double beta, double* y) = 0;
  virtual std::int64_t workspace_bytes() const = 0;

  std::int64_t rows = 0, cols = 0, k = 0;
};

namespace {

Buffer<index_t> narrow_columns(const CsrInput& a, int threads) {
  Buffer<index_t> narrow;
  if (a.col_idx.type == DataType::int64) {
    narrow.resize(static_cast<std::size_t>(a.nnz));
    const auto* const wide = static_cast<const std::int64_t*>(a.col_idx.data);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t p = 0; p < a.nnz; ++p) {
      narrow[p] = static_cast<index_t>(wide[p]);
    }
  }
  return narrow;
}

template <class Offset>
class TypedMethod final : public SpmmPlan::Method {
 public:
  TypedMethod(const CsrInput& a, std::int64_t columns, int threads, SpmmPath path)
      : narrow_(narrow_columns(a, threads)),
        threads_(threads),
        product_({static_cast<index_t>(a.rows), static_cast<index_t>(a.cols),
                  static_cast<Offset>(a.nnz), static_cast<const Offset*>(a.row_ptr.data),
                  narrow_.empty() ? static_cast<const index_t*>(a.col_idx.data) : narrow_.data(),
                  static_cast<const double*>(a.values.data)},
                 columns, threads, path) {
    rows = a.rows;
    cols = a.cols;
    k = columns;
    product_.analyse();
  }

  void multiply(double alpha, const double* x, double beta, double* y) override {
    if (alpha == 1.0 && beta == 0.0) {
      return product_.multiply(x, y);
    }
    const std::int64_t size = rows * k;
    between_.resize(static_cast<std::size_t>(size));
    product_.multiply(x, between_.data());
    const double* const from = between_.data();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t e = 0; e < size; ++e) {
      y[e] = beta == 0.0 ? alpha * from[e] : alpha * from[e] + beta * y[e];
    }
  }
  std::int64_t workspace_bytes() const override {
    return product_.workspace_bytes() + static_cast<std::int64_t>(narrow_.size() * sizeof(index_t) +
                                                                  between_.size() * sizeof(double));
  }

 private:
  Buffer<index_t> narrow_;  // [nnz] where column numbers have 64 bits
  int threads_;
  BlockedProduct<Offset> product_;
  Buffer<double> between_;  // [rows * k] A X, once scalars asked for it
};

}  // namespace

SpmmPlan::SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options) {
  check_csr(a);
  check_range("threads", options.threads, std::numeric_limits<int>::max());
  check_range("k", k, most_columns_of_x);
  if (a.values.type != DataType::fp64 && a.nnz > 0) {
    throw InputError(std::string("values are of ") + to_string(a.values.type) +
                     "; the product takes fp64");
  }
  if (const std::string reason = path_refusal(options.path, k); !reason.empty()) {
    throw InputError(reason);
  }
  const int threads = options.threads == 0 ? available_cores() : options.threads;
  if (a.row_ptr.type == DataType::int32) {
    method_ = std::make_unique<TypedMethod<std::int32_t>>(a, k, threads, options.path);
  } else {
    method_ = std::make_unique<TypedMethod<std::int64_t>>(a, k, threads, options.path);
  }
}

SpmmPlan::~SpmmPlan() = default;
SpmmPlan::SpmmPlan(SpmmPlan&&) noexcept = default;
SpmmPlan& SpmmPlan::operator=(SpmmPlan&&) noexcept = default;

void SpmmPlan::operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y) {
  const Method& m = *method_;
  check_dense("X", x.rows, x.cols, x.stride, x.data.type, x.data.data, m.cols, m.k);
  check_dense("Y", y.rows, y.cols, y.stride, y.data.type, y.data.data, m.rows, m.k);
  method_->multiply(alpha, static_cast<const double*>(x.data.data), beta,
                    static_cast<double*>(y.data.data));
}

std::int64_t SpmmPlan::workspace_bytes() const {
  return method_->workspace_bytes();
}

void spmm(double alpha, const CsrInput& a, const DenseInput& x, double beta, const DenseOutput& y,
          const SpmmOptions& options) {
  SpmmPlan(a, x.cols, options)(alpha, x, beta, y);
}

}  // namespace sparserepro::host
