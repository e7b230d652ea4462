// The three kernels of the device on a small graph. Plain C++: CUDA's runtime alone is called here.
// Prints each answer; exit code 1 where one is wrong, 77 without a device.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sparserepro/device/spmm.hpp>
#include <sparserepro/device/transpose.hpp>
#include <sparserepro/device/triangles.hpp>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::cerr << cudaGetErrorString(status) << '\n';
    std::exit(1);
  }
}

/// Device memory with one owner.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit OnDevice(const std::vector<T>& host) : OnDevice(host.size()) {
    check(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }

  T* get() { return static_cast<T*>(data_); }
  std::vector<T> host() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

template <class T>
void print(const char* name, const std::vector<T>& elements) {
  std::cout << name << ':';
  for (const T& element : elements) {
    std::cout << ' ' << element;
  }
  std::cout << '\n';
}

int run() {
  // Two triangles that share the edge {1, 2}; weights on the stored entries.
  OnDevice<std::int32_t> row_ptr({0, 2, 5, 8, 10});
  OnDevice<std::int32_t> col_idx({1, 2, 0, 2, 3, 0, 1, 3, 1, 2});
  OnDevice<double> values({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const sparserepro::CsrInput a{4, 4, 10, row_ptr.get(), col_idx.get(), values.get()};
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  OnDevice<std::int32_t> t_row_ptr(5), t_col_idx(10);
  OnDevice<double> t_values(10);
  const sparserepro::CsrOutput t{t_row_ptr.get(), t_col_idx.get(), t_values.get()};
  std::size_t bytes = 0;
  sparserepro::device::transpose(nullptr, bytes, a, t, stream);
  OnDevice<char> workspace(bytes);
  sparserepro::device::transpose(workspace.get(), bytes, a, t, stream);
  check(cudaStreamSynchronize(stream));
  print("row_ptr of A^T", t_row_ptr.host());
  print("col_idx of A^T", t_col_idx.host());
  print("values of A^T", t_values.host());

  OnDevice<double> x({1, 10, 100, 1000}), y(4);
  sparserepro::device::SpmmPlan plan(a, 1);
  OnDevice<char> analysis(plan.analysis_bytes());
  plan.analyse(analysis.get(), plan.analysis_bytes(), stream);
  OnDevice<char> sums(plan.product_bytes() + 1);
  plan(1.0, {4, 1, 1, x.get()}, 0.0, {4, 1, 1, y.get()}, sums.get(), plan.product_bytes(), stream);
  check(cudaStreamSynchronize(stream));
  print("A x", y.host());

  sparserepro::device::TriangleCounter counter(a);
  OnDevice<char> room(counter.workspace_bytes());
  OnDevice<std::uint64_t> triangles(1), of_vertex(4);
  counter.prepare(room.get(), counter.workspace_bytes(), stream);
  counter.count(triangles.get(), of_vertex.get(), stream);
  check(cudaStreamSynchronize(stream));
  print("triangles", triangles.host());
  print("triangles of each vertex", of_vertex.host());
  check(cudaStreamDestroy(stream));

  const bool right = t_values.host() == std::vector<double>{3, 6, 1, 7, 9, 2, 4, 10, 5, 8} &&
                     y.host() == std::vector<double>{210, 5403, 8076, 1090} &&
                     triangles.host() == std::vector<std::uint64_t>{2} &&
                     of_vertex.host() == std::vector<std::uint64_t>{1, 2, 2, 1};
  return right ? 0 : 1;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cerr << "no CUDA device\n";
    return 77;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
