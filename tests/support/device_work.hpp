// All public functions on a device with one matrix and one graph, and what is right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "formats/csr.hpp"
#include "formats/graph.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/product_check.hpp"
#include "support/support_check.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro::testing {

inline constexpr std::int64_t product_columns = 12;

/// Inputs on the host and the right answers, which all threads read.
struct Wanted {
  explicit Wanted(const std::string& matrix_spec, const std::string& graph_spec)
      : source(generate(matrix_spec)),
        a(csr_cast<std::int32_t, double>(source.csr)),
        transposed(transpose_reference(a)),
        integers(source.csr, product_columns, Operation::transpose),
        product(integers, {.operation = Operation::transpose}),
        graph(graph_from_matrix(generate(graph_spec).csr, cleaning, 2)),
        triangles(triangles_by_definition(graph)) {}

  Matrix source;
  Csr<std::int32_t, double> a, transposed;
  IntegerProduct integers;
  ExactProduct<double> product;
  GraphCleaning cleaning;
  Graph graph;
  TriangleAnswer triangles;
};

/// All public functions on one stream of one device, with memory of their own.
class Work {
 public:
  Work(const Wanted& wanted, int device)
      : wanted_(wanted),
        device_(device),
        row_ptr_(wanted.a.row_ptr, s()),
        t_ptr_(wanted.transposed.row_ptr.size(), s()),
        plan_ptr_(t_ptr_.size(), s()),
        col_idx_(wanted.a.col_idx, s()),
        t_idx_(col_idx_.size(), s()),
        plan_idx_(col_idx_.size(), s()),
        values_(wanted.a.values, s()),
        t_values_(values_.size(), s()),
        moved_(values_.size(), s()),
        weights_(wanted.product.values, s()),
        x_(wanted.product.x, s()),
        y_(wanted.product.y, s()),
        g_ptr_(wanted.graph.row_ptr, s()),
        g_idx_(wanted.graph.col_idx, s()),
        count_(std::size_t{1}, s()),
        support_(g_idx_.size(), s()),
        transposer_(a()),
        plan_(a()),
        product_(weighted(), product_columns, {.operation = Operation::transpose}),
        counter_({wanted.graph.vertices,
                  wanted.graph.vertices,
                  wanted.graph.stored(),
                  g_ptr_.data(),
                  g_idx_.data(),
                  {}}),
        of_transposer_(transposer_.workspace_bytes(), s()),
        of_plan_(plan_.plan_bytes(), s()),
        scratch_(std::max(plan_.analysis_bytes(), plan_.call_bytes()), s()),
        of_product_(product_.analysis_bytes(), s()),
        of_counter_(counter_.workspace_bytes(), s()) {
    transposer_.bind(of_transposer_.data(), of_transposer_.size(), s());
    analyse_plan();
    analyse_product();
    prepare_count();
    room_ = DeviceBuffer<char>(product_.product_bytes(), s());
  }

  void analyse_plan() {
    plan_.analyse(a(), {plan_ptr_.data(), plan_idx_.data(), {}}, {}, of_plan_.data(),
                  of_plan_.size(), scratch_.data(), scratch_.size(), s());
  }
  void analyse_product() { product_.analyse(of_product_.data(), of_product_.size(), s()); }
  void prepare_count() { counter_.prepare(of_counter_.data(), of_counter_.size(), s()); }
  void move_values() {
    plan_(values_.data(), moved_.data(), scratch_.data(), scratch_.size(), s());
  }
  void multiply() {
    product_(1.0, wanted_.product.x_at(x_.data()), 0.0, wanted_.product.y_at(y_.data()),
             room_.data(), room_.size(), s());
  }
  void count() {
    counter_.count(count_.data(), nullptr, s());
    counter_.support(support_.data(), s());
  }

  /// Queues one call of each function.
  void queue() {
    CUDA_CHECK(cudaSetDevice(device_));
    transposer_(a(), {t_ptr_.data(), t_idx_.data(), t_values_.data()}, s());
    move_values();
    multiply();
    count();
  }

  /// The functions whose last answers are wrong.
  std::string wrong() {
    CUDA_CHECK(cudaSetDevice(device_));
    const auto& t = wanted_.transposed;
    std::string names;
    const auto check = [&](const auto& on_device, const auto& right, const char* name) {
      auto got = right;
      got.assign(got.size(), {});
      on_device.copy_to(got.data(), s());
      stream_.synchronize();
      if (got != right) {
        names += std::string(name) + " ";
      }
    };
    check(t_ptr_, t.row_ptr, "pointers");
    check(t_idx_, t.col_idx, "columns");
    check(t_values_, t.values, "values");
    check(moved_, t.values, "planned values");
    check(y_, wanted_.product.answer, "product");
    check(count_, std::vector<std::uint64_t>{wanted_.triangles.all}, "triangles");
    check(support_, wanted_.triangles.of_entry, "support");
    return names;
  }

 private:
  cudaStream_t s() const { return stream_.get(); }
  CsrInput a() const {
    return {wanted_.a.rows,  wanted_.a.cols,  wanted_.a.nnz(),
            row_ptr_.data(), col_idx_.data(), values_.data()};
  }
  CsrInput weighted() const {
    CsrInput with = a();
    with.values = weights_.data();
    return with;
  }

  const Wanted& wanted_;
  int device_;
  Stream stream_;
  DeviceBuffer<std::int32_t> row_ptr_, t_ptr_, plan_ptr_;
  DeviceBuffer<index_t> col_idx_, t_idx_, plan_idx_;
  DeviceBuffer<double> values_, t_values_, moved_, weights_, x_, y_;
  DeviceBuffer<std::int64_t> g_ptr_;
  DeviceBuffer<index_t> g_idx_;
  DeviceBuffer<std::uint64_t> count_, support_;
  device::Transposer transposer_;
  device::TransposePlan plan_;
  device::SpmmPlan product_;
  device::TriangleCounter counter_;
  DeviceBuffer<char> of_transposer_, of_plan_, scratch_, of_product_, of_counter_, room_;
};

}  // namespace sparserepro::testing
