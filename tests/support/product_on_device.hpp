// The public product on the device by one path, exactly: no row is cut, no element beside Y is
// touched, and X has NaN where no entry reads it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "sparserepro/device/spmm.hpp"
#include "support/catch.hpp"
#include "support/guarded.hpp"
#include "support/product_check.hpp"

namespace sparserepro::testing {

/// Checks the product of `a`, which has no entry in column 0, with K = k.
template <class Element, class Offset>
void check_product_on_device(const Csr<std::int64_t, double>& a, std::int64_t k,
                             device::SpmmPath path, const ProductForm& form) {
  const Stream stream;
  const cudaStream_t s = stream.get();
  ExactProduct<Element> wanted(IntegerProduct(a, k, Operation::none), form);
  for (std::int64_t j = 0; j < k; ++j) {
    wanted.x[static_cast<std::size_t>(j)] =
        element_of<Element>(std::numeric_limits<double>::quiet_NaN());
  }
  const DeviceBuffer<Offset> row_ptr(Buffer<Offset>(a.row_ptr.begin(), a.row_ptr.end()), s);
  const DeviceBuffer<index_t> col_idx(Buffer<index_t>(a.col_idx.begin(), a.col_idx.end()), s);
  const DeviceBuffer<Element> values(wanted.values, s), x(wanted.x, s);
  Guarded y(wanted.y.size() * sizeof(Element), s);
  device::SpmmPlan plan({a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()}, k,
                        {.path = path});
  DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), analysis.size(), s);
  CHECK(plan.product_bytes() == 0);  // no row is cut
  std::vector<Element> got(wanted.y.size());
  CUDA_CHECK(cudaMemcpyAsync(y.data(), wanted.y.data(), y.size(), cudaMemcpyHostToDevice, s));
  plan(form.alpha, wanted.x_at(x.data()), form.beta, wanted.y_at(static_cast<Element*>(y.data())),
       nullptr, 0, s);
  CUDA_CHECK(cudaMemcpyAsync(got.data(), y.data(), y.size(), cudaMemcpyDeviceToHost, s));
  CHECK(y.intact(s));
  CAPTURE(to_string(data_type_of<Element>()), k, form.beta);
  CHECK(wanted.is_right(got.data()));
}

}  // namespace sparserepro::testing
