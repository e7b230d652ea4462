// The public product on a device (include/sparserepro/device/spmm.hpp): checks, and the choice of
// the storage type.
#include <limits>
#include <utility>

#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "formats/small_floats.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/method.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"

namespace sparserepro::device {

SpmmPlan::SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options) {
  check_csr(a);
  check_range("k", k, most_columns_of_x);
  check_range("calls", options.calls, std::numeric_limits<std::int64_t>::max());
  const DataType type = product_type(a);
  check_aligned("A", a.row_ptr.data, a.col_idx.data, a.values.data);
  if (options.path != SpmmPath::automatic) {
    if (const std::string reason = order_refusal(options.path, a.nnz, k, bytes_of(type));
        !reason.empty()) {
      throw InputError(reason);
    }
  }
  method_ = type == DataType::fp64   ? make_method<double>(a, k, options)
            : type == DataType::fp32 ? make_method<float>(a, k, options)
            : type == DataType::fp16 ? make_method<Half>(a, k, options)
                                     : make_method<Bfloat>(a, k, options);
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

void SpmmPlan::set_values(const ConstArray& values, Stream stream) {
  check_values(values, method_->nnz, method_->type);
  check_aligned("values", values.data);
  method_->set_values(values, stream);
  if (method_->read.nnz > 0) {
    method_->read.values = values;
  }
}

std::size_t SpmmPlan::product_bytes() const {
  const DenseInput x{method_->cols, method_->k, method_->k, {}};
  const DenseOutput y{method_->rows, method_->k, method_->k, {}};
  return method_->product_bytes(x, y);
}

std::size_t SpmmPlan::product_bytes(const DenseInput& x, const DenseOutput& y) const {
  return method_->product_bytes(x, y);
}

void SpmmPlan::operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y,
                          void* workspace, std::size_t bytes, Stream stream) const {
  check_dense("X", x, method_->cols, method_->k, method_->type);
  check_dense("Y", y, method_->rows, method_->k, method_->type);
  check_aligned("X", x.data.data);
  check_aligned("Y", y.data.data);
  check_apart(place_of("Y", y), method_->read, {place_of("X", x)});
  method_->multiply(alpha, x, beta, y,
                    device_workspace(workspace, bytes, method_->product_bytes(x, y)), stream);
}

SpmmPath SpmmPlan::path() const {
  return method_->path();
}

std::vector<std::pair<std::string, double>> SpmmPlan::facts() const {
  return method_->facts();
}

}  // namespace sparserepro::device
