// The public product on a device (include/sparserepro/device/spmm.hpp): types at run time in,
// balanced::BalancedCsr of one storage type behind. Column numbers of 64 bits are copied to 32 by
// the analysis.
#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/convert.cuh"
#include "cuda/device_memory.hpp"
#include "formats/check_arrays.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/multiply.cuh"

namespace sparserepro::device {

/// Multiplies as SpmmPlan does; arrays and workspaces are checked.
class SpmmPlan::Method {
 public:
  Method(const CsrInput& a, std::int64_t columns) : rows(a.rows), cols(a.cols), k(columns) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual std::size_t analysis_bytes() const = 0;
  virtual void analyse(DeviceMemory memory, cudaStream_t stream) = 0;
  virtual std::size_t partial_sums() const = 0;
  virtual void multiply(double alpha, const double* x, double beta, double* y, double* partial,
                        cudaStream_t stream) const = 0;
  virtual RowOrder order() const = 0;
  virtual std::vector<std::pair<std::string, double>> facts() const = 0;

  const std::int64_t rows, cols, k;
};

namespace {

/// The order that a path forces.
std::optional<RowOrder> forced_order(SpmmPath path) {
  return path == SpmmPath::automatic ? std::nullopt : std::optional(path);
}

template <class Offset>
class TypedMethod final : public SpmmPlan::Method {
 public:
  TypedMethod(const CsrInput& a, std::int64_t columns, SpmmPath path)
      : Method(a, columns), a_(a), forced_(forced_order(path)) {
    DeviceMemory count;
    place(count);
    bytes_ = count.bytes();
    product_.reset();
  }

  std::size_t analysis_bytes() const override { return bytes_; }
  void analyse(DeviceMemory memory, cudaStream_t stream) override {
    place(memory);
    if (wide()) {
      convert_on_device(static_cast<const std::int64_t*>(a_.col_idx.data), columns_.data(),
                        columns_.size(), stream);
    }
    product_->analyse(stream);
  }
  std::size_t partial_sums() const override { return analysed().partial_sums(); }
  void multiply(double alpha, const double* x, double beta, double* y, double* partial,
                cudaStream_t stream) const override {
    analysed().multiply(alpha, x, beta, y, partial, stream);
  }
  RowOrder order() const override { return analysed().plan().order; }
  std::vector<std::pair<std::string, double>> facts() const override {
    const BalancedPlan& plan = analysed().plan();
    const auto is = [&](RowOrder order) { return plan.order == order ? 1.0 : 0.0; };
    return {{"row_groups", is(RowOrder::grouped)},
            {"row_bins", is(RowOrder::binned)},
            {"row_stream", is(RowOrder::streamed)},
            {"row_flat", is(RowOrder::flat)},
            {"columns_at_once", static_cast<double>(plan.column_block)},
            {"segments", static_cast<double>(analysed().statistics().segments)}};
  }

 private:
  bool wide() const { return a_.col_idx.type == DataType::int64; }
  void place(DeviceMemory& memory) {
    columns_ = DeviceArray<index_t>(wide() ? static_cast<std::size_t>(a_.nnz) : 0, memory);
    const CsrView<Offset, double> view{
        static_cast<index_t>(a_.rows),
        static_cast<index_t>(a_.cols),
        static_cast<Offset>(a_.nnz),
        static_cast<const Offset*>(a_.row_ptr.data),
        wide() ? columns_.data() : static_cast<const index_t*>(a_.col_idx.data),
        static_cast<const double*>(a_.values.data)};
    product_ = std::make_unique<balanced::BalancedCsr<Offset>>(view, k, memory, forced_);
  }
  const balanced::BalancedCsr<Offset>& analysed() const {
    if (!product_) {
      throw InputError("no analysis: call analyse before the first product");
    }
    return *product_;
  }

  CsrInput a_;
  std::optional<RowOrder> forced_;
  std::size_t bytes_ = 0;
  DeviceArray<index_t> columns_;  // [nnz] where column numbers have 64 bits
  std::unique_ptr<balanced::BalancedCsr<Offset>> product_;
};

}  // namespace

SpmmPlan::SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options) {
  check_csr(a);
  check_range("k", k, most_columns_of_x);
  if (a.values.type != DataType::fp64 && a.nnz > 0) {
    throw InputError(std::string("values are of ") + to_string(a.values.type) +
                     "; the product takes fp64");
  }
  check_aligned("A", a.row_ptr.data, a.col_idx.data, a.values.data);
  if (const auto forced = forced_order(options.path)) {
    if (const std::string reason = order_refusal(*forced, a.nnz, k); !reason.empty()) {
      throw InputError(reason);
    }
  }
  if (a.row_ptr.type == DataType::int32) {
    method_ = std::make_unique<TypedMethod<std::int32_t>>(a, k, options.path);
  } else {
    method_ = std::make_unique<TypedMethod<std::int64_t>>(a, k, options.path);
  }
}

SpmmPlan::~SpmmPlan() = default;
SpmmPlan::SpmmPlan(SpmmPlan&&) noexcept = default;
SpmmPlan& SpmmPlan::operator=(SpmmPlan&&) noexcept = default;

std::size_t SpmmPlan::analysis_bytes() const {
  return method_->analysis_bytes();
}

void SpmmPlan::analyse(void* workspace, std::size_t bytes, Stream stream) {
  method_->analyse(device_workspace(workspace, bytes, method_->analysis_bytes()), stream);
}

std::size_t SpmmPlan::product_bytes() const {
  return method_->partial_sums() * sizeof(double);
}

void SpmmPlan::operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y,
                          void* workspace, std::size_t bytes, Stream stream) const {
  check_dense("X", x.rows, x.cols, x.stride, x.data.type, x.data.data, method_->cols, method_->k);
  check_dense("Y", y.rows, y.cols, y.stride, y.data.type, y.data.data, method_->rows, method_->k);
  check_aligned("X", x.data.data);
  check_aligned("Y", y.data.data);
  static_cast<void>(device_workspace(workspace, bytes, product_bytes()));
  method_->multiply(alpha, static_cast<const double*>(x.data.data), beta,
                    static_cast<double*>(y.data.data), static_cast<double*>(workspace), stream);
}

SpmmPath SpmmPlan::path() const {
  return method_->order();
}

std::vector<std::pair<std::string, double>> SpmmPlan::facts() const {
  return method_->facts();
}

}  // namespace sparserepro::device
