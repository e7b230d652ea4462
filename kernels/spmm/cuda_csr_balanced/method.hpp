// The public plan behind types at run time: fp64.cu, fp32.cu, fp16.cu and bf16.cu make one each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_memory.hpp"
#include "sparserepro/device/spmm.hpp"

namespace sparserepro::device {

/// Multiplies as SpmmPlan does; arrays and workspaces are checked.
class SpmmPlan::Method {
 public:
  Method(const CsrInput& a, std::int64_t columns, Operation operation, DataType element)
      : rows(operation == Operation::none ? a.rows : a.cols),
        cols(operation == Operation::none ? a.cols : a.rows),
        nnz(a.nnz),
        k(columns),
        type(element),
        read(operation == Operation::none ? a : CsrInput{}) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual std::size_t analysis_bytes() const = 0;
  virtual void analyse(DeviceMemory memory, cudaStream_t stream) = 0;
  virtual void set_values(const ConstArray& values, cudaStream_t stream) = 0;
  virtual std::size_t product_bytes(const DenseInput& x, const DenseOutput& y) const = 0;
  virtual void multiply(double alpha, const DenseInput& x, double beta, const DenseOutput& y,
                        DeviceMemory memory, cudaStream_t stream) const = 0;
  virtual SpmmPath path() const = 0;
  virtual std::vector<std::pair<std::string, double>> facts() const = 0;

  const std::int64_t rows, cols, nnz, k;  ///< of op(A)
  const DataType type;
  CsrInput read;  ///< A as products read it; with A^T they read a copy
};

/// For `a` of Element.
template <class Element>
std::unique_ptr<SpmmPlan::Method> make_method(const CsrInput& a, std::int64_t k,
                                              const SpmmOptions& options);

}  // namespace sparserepro::device
