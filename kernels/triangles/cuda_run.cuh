// Base of all triangle counts on the device: it uploads the graph, owns the sum, poisons it and
// copies it back to the host.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "cuda/cuda_run.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "triangles/device_graph.hpp"
#include "triangles/triangles.hpp"

namespace sparserepro {

/// A run on the device. `execute` of the derived class adds to `sum()`, which at last is `divisor`
/// times the number of triangles.
template <class Offset>
class CudaTrianglesRun : public CudaRun<TrianglesProblem> {
 public:
  CudaTrianglesRun(const TrianglesProblem& problem, std::uint64_t divisor)
      : problem_(problem),
        divisor_(divisor),
        row_ptr_(upload_row_ptr(problem.graph())),
        col_idx_(problem.graph().col_idx, stream()),
        sum_(std::size_t{1}, stream()) {}

  void poison() override {
    triangles_ = std::numeric_limits<std::uint64_t>::max();
    sum_.fill_bytes(0xff, stream());
  }
  void download() override {
    std::uint64_t sum = 0;
    sum_.copy_to(&sum, stream());
    synchronize();
    triangles_ = sum / divisor_;
  }
  TrianglesProblem::Result result() override { return {triangles_, {}, {}}; }
  std::int64_t workspace_bytes() const override { return 0; }
  Measures measures() const override {
    Measures all = problem_.facts();
    all.emplace_back("triangles", static_cast<double>(triangles_));
    return all;
  }

 protected:
  const TrianglesProblem& problem() const { return problem_; }
  /// The graph in device memory.
  DeviceGraph<Offset> graph() const {
    return {problem_.graph().vertices, static_cast<Offset>(col_idx_.size()), row_ptr_.data(),
            col_idx_.data()};
  }
  /// The sum, in device memory.
  std::uint64_t* sum() { return sum_.data(); }
  /// For answers that do not come as a sum.
  void set_triangles(std::uint64_t triangles) { triangles_ = triangles; }
  /// Queues the reset of the sum to 0.
  void clear_sum() { sum_.fill_bytes(0, stream()); }

 private:
  DeviceBuffer<Offset> upload_row_ptr(const Graph& graph) {
    const Buffer<Offset> narrow(graph.row_ptr.begin(), graph.row_ptr.end());
    DeviceBuffer<Offset> row_ptr(narrow, stream());
    synchronize();  // `narrow` must outlive the copy
    return row_ptr;
  }

  const TrianglesProblem& problem_;
  std::uint64_t divisor_;
  DeviceBuffer<Offset> row_ptr_;
  DeviceBuffer<index_t> col_idx_;
  DeviceBuffer<std::uint64_t> sum_;  // [1]
  std::uint64_t triangles_{};
};

/// Prepares `Method<Offset>(problem, params)`, with 32-bit row pointers if the entries fit them.
template <template <class> class Method>
std::unique_ptr<Run<TrianglesProblem>> prepare_cuda_triangles(const TrianglesProblem& problem,
                                                              const Params& params) {
  if (problem.graph().stored() <= problem.most_narrow_entries()) {
    return std::make_unique<Method<std::int32_t>>(problem, params);
  }
  return std::make_unique<Method<std::int64_t>>(problem, params);
}

}  // namespace sparserepro
