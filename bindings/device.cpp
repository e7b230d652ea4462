// sparserepro._cuda: the public functions on a device, on arrays, workspaces and streams of the
// caller. The functions in sparserepro/kernels/ allocate answers and workspaces and see to it that
// what is queued outlives its use.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "sparserepro/device/triangles.hpp"

namespace sparserepro::python::device_module {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;
using device::Stream;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw CudaError(std::string(call) + ": " + cudaGetErrorString(status));
  }
}

/// The device of the array becomes that of this module's CUDA runtime, too.
void use_device_of(const Input& array) {
  check(cudaSetDevice(array.device_id()), "cudaSetDevice");
}

/// Waits for the legacy default stream.
void synchronize(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

/// What another library may use on streams of its own until it lets go.
struct Memory {
  void* data = nullptr;
  int device = 0;
};

void release(void* pointer) noexcept {
  const Memory memory = *static_cast<Memory*>(pointer);
  delete static_cast<Memory*>(pointer);
  const nb::gil_scoped_release unlocked;
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(memory.device);
  cudaDeviceSynchronize();
  cudaFree(memory.data);
  cudaSetDevice(before);
}

/// Uninitialised memory.
nb::ndarray<nb::array_api> empty(const std::vector<std::size_t>& shape, int kind, int bits,
                                 int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  auto memory = std::make_unique<Memory>();
  memory->device = device;
  check(cudaMalloc(&memory->data, std::max<std::size_t>(bytes_of(shape, bits), 1)), "cudaMalloc");
  void* const data = memory->data;
  return owned(nb::capsule(memory.release(), release), data, shape, kind, bits, device);
}

/// The first element of an array of int64, after the work on the legacy default stream.
std::int64_t first(const Input& array) {
  use_device_of(array);
  std::int64_t value = 0;
  check(cudaMemcpy(&value, array.data(), sizeof(value), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return value;
}

Stream stream_of(std::uintptr_t stream) {
  return reinterpret_cast<Stream>(stream);
}

/// The number of devices; 0 where there is no driver.
int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// One transposition, from the sizes of the workspace to the work on the stream.
class Transposer {
 public:
  Transposer(const Input& row_ptr, const Input& col_idx, const Input& values, std::int64_t cols)
      : transposer_((use_device_of(row_ptr), csr(row_ptr, col_idx, values, cols))), cols_(cols) {}

  std::size_t workspace_bytes() const { return transposer_.workspace_bytes(); }
  void run(const Input& row_ptr, const Input& col_idx, const Input& values,
           const Output& out_row_ptr, const Output& out_col_idx, const Output& out_values,
           const Output& workspace, std::uintptr_t stream) {
    use_device_of(row_ptr);
    transposer_.bind(workspace.data(), workspace.size(), stream_of(stream));
    transposer_(csr(row_ptr, col_idx, values, cols_),
                csr_output(out_row_ptr, out_col_idx, out_values), stream_of(stream));
  }

 private:
  device::Transposer transposer_;
  std::int64_t cols_;
};

class TransposePlan {
 public:
  /// For values of `width` bytes.
  TransposePlan(const Input& row_ptr, const Input& col_idx, std::int64_t cols, int width)
      : plan_((use_device_of(row_ptr), with_width(csr(row_ptr, col_idx, {}, cols), width))),
        cols_(cols) {}

  std::size_t plan_bytes() const { return plan_.plan_bytes(); }
  std::size_t analysis_bytes() const { return plan_.analysis_bytes(); }
  std::size_t call_bytes() const { return plan_.call_bytes(); }
  void analyse(const Input& row_ptr, const Input& col_idx, const Output& out_row_ptr,
               const Output& out_col_idx, const Output& permutation, const Output& plan,
               const Output& workspace, std::uintptr_t stream) {
    use_device_of(row_ptr);
    plan_.analyse(csr(row_ptr, col_idx, {}, cols_), csr_output(out_row_ptr, out_col_idx, {}),
                  view_or_none<Array>(permutation), plan.data(), plan.size(), workspace.data(),
                  workspace.size(), stream_of(stream));
  }
  void move(const Input& values, const Output& transposed, const Output& workspace,
            std::uintptr_t stream) const {
    use_device_of(values);
    plan_(view(values), view(transposed), workspace.data(), workspace.size(), stream_of(stream));
  }

 private:
  static CsrInput with_width(CsrInput a, int width) {
    a.values.type = width == 2 ? DataType::fp16 : width == 4 ? DataType::fp32 : DataType::fp64;
    return a;
  }

  device::TransposePlan plan_;
  std::int64_t cols_;
};

/// Keeps the arrays of A alive.
class SpmmPlan {
 public:
  SpmmPlan(Input row_ptr, Input col_idx, Input values, std::int64_t cols, std::int64_t k,
           bool transpose)
      : row_ptr_(std::move(row_ptr)),
        col_idx_(std::move(col_idx)),
        values_(std::move(values)),
        plan_((use_device_of(row_ptr_), csr(row_ptr_, col_idx_, values_, cols)), k,
              {.operation = transpose ? Operation::transpose : Operation::none}) {}

  std::size_t analysis_bytes() const { return plan_.analysis_bytes(); }
  void analyse(const Output& workspace, std::uintptr_t stream) {
    use_device_of(row_ptr_);
    plan_.analyse(workspace.data(), workspace.size(), stream_of(stream));
  }
  void set_values(Input values, std::uintptr_t stream) {
    use_device_of(values);
    plan_.set_values(view(values), stream_of(stream));
    values_ = std::move(values);
  }
  std::size_t product_bytes(const Input& x, const Output& y) const {
    return plan_.product_bytes(dense<DenseInput>(x), dense<DenseOutput>(y));
  }
  void multiply(double alpha, const Input& x, double beta, const Output& y, const Output& workspace,
                std::uintptr_t stream) const {
    use_device_of(x);
    plan_(alpha, dense<DenseInput>(x), beta, dense<DenseOutput>(y), workspace.data(),
          workspace.size(), stream_of(stream));
  }

 private:
  Input row_ptr_, col_idx_, values_;
  device::SpmmPlan plan_;
};

class TriangleCounter {
 public:
  TriangleCounter(Input row_ptr, Input col_idx)
      : row_ptr_(std::move(row_ptr)),
        col_idx_(std::move(col_idx)),
        counter_((use_device_of(row_ptr_), csr(row_ptr_, col_idx_, {}, size_of(row_ptr_) - 1))) {}

  std::size_t workspace_bytes() const { return counter_.workspace_bytes(); }
  void prepare(const Output& workspace, std::uintptr_t stream) {
    use_device_of(row_ptr_);
    counter_.prepare(workspace.data(), workspace.size(), stream_of(stream));
  }
  /// `triangles` [1] and `of_vertex` [vertices], of int64.
  void count(const Output& triangles, const Output& of_vertex, std::uintptr_t stream) {
    use_device_of(row_ptr_);
    counter_.count(counters_or_null(triangles), counters_or_null(of_vertex), stream_of(stream));
  }
  /// `of_entry` [entries] of int64.
  void support(const Output& of_entry, std::uintptr_t stream) {
    use_device_of(row_ptr_);
    counter_.support(counters_or_null(of_entry), stream_of(stream));
  }

 private:
  Input row_ptr_, col_idx_;
  device::TriangleCounter counter_;
};

}  // namespace

NB_MODULE(_cuda, module) {
  translate_errors();
  module.def("device_count", &device_count);
  module.def("synchronize", &synchronize, nb::arg("device"), Unlocked());
  module.def("empty", &empty, nb::arg("shape"), nb::arg("kind"), nb::arg("bits"),
             nb::arg("device"));
  module.def("in_rows", &in_rows, nb::arg("array"));
  module.def("first", &first, nb::arg("array"), Unlocked());
  nb::class_<Transposer>(module, "Transposer")
      .def(nb::init<const Input&, const Input&, const Input&, std::int64_t>(), nb::arg("indptr"),
           nb::arg("indices"), nb::arg("data").none(), nb::arg("cols"), Unlocked())
      .def_prop_ro("workspace_bytes", &Transposer::workspace_bytes)
      .def("__call__", &Transposer::run, nb::arg("indptr"), nb::arg("indices"),
           nb::arg("data").none(), nb::arg("out_indptr"), nb::arg("out_indices"),
           nb::arg("out_data").none(), nb::arg("workspace"), nb::arg("stream"), Unlocked());
  nb::class_<TransposePlan>(module, "TransposePlan")
      .def(nb::init<const Input&, const Input&, std::int64_t, int>(), nb::arg("indptr"),
           nb::arg("indices"), nb::arg("cols"), nb::arg("width"), Unlocked())
      .def_prop_ro("plan_bytes", &TransposePlan::plan_bytes)
      .def_prop_ro("analysis_bytes", &TransposePlan::analysis_bytes)
      .def_prop_ro("call_bytes", &TransposePlan::call_bytes)
      .def("analyse", &TransposePlan::analyse, nb::arg("indptr"), nb::arg("indices"),
           nb::arg("out_indptr"), nb::arg("out_indices"), nb::arg("permutation").none(),
           nb::arg("plan"), nb::arg("workspace"), nb::arg("stream"), Unlocked())
      .def("__call__", &TransposePlan::move, nb::arg("data"), nb::arg("out"), nb::arg("workspace"),
           nb::arg("stream"), Unlocked());
  nb::class_<SpmmPlan>(module, "SpmmPlan")
      .def(nb::init<Input, Input, Input, std::int64_t, std::int64_t, bool>(), nb::arg("indptr"),
           nb::arg("indices"), nb::arg("data"), nb::arg("cols"), nb::arg("k"), nb::arg("transpose"),
           Unlocked())
      .def_prop_ro("analysis_bytes", &SpmmPlan::analysis_bytes)
      .def("analyse", &SpmmPlan::analyse, nb::arg("workspace"), nb::arg("stream"), Unlocked())
      .def("set_values", &SpmmPlan::set_values, nb::arg("data"), nb::arg("stream"), Unlocked())
      .def("product_bytes", &SpmmPlan::product_bytes, nb::arg("x"), nb::arg("y"))
      .def("__call__", &SpmmPlan::multiply, nb::arg("alpha"), nb::arg("x"), nb::arg("beta"),
           nb::arg("y"), nb::arg("workspace"), nb::arg("stream"), Unlocked());
  nb::class_<TriangleCounter>(module, "TriangleCounter")
      .def(nb::init<Input, Input>(), nb::arg("indptr"), nb::arg("indices"), Unlocked())
      .def_prop_ro("workspace_bytes", &TriangleCounter::workspace_bytes)
      .def("prepare", &TriangleCounter::prepare, nb::arg("workspace"), nb::arg("stream"),
           Unlocked())
      .def("count", &TriangleCounter::count, nb::arg("triangles"), nb::arg("of_vertex").none(),
           nb::arg("stream"), Unlocked())
      .def("support", &TriangleCounter::support, nb::arg("of_entry"), nb::arg("stream"),
           Unlocked());
}

}  // namespace sparserepro::python::device_module
