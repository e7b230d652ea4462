// Base of the products on the host that take A or A^T, in fp64 or fp32.
#pragma once

#include <limits>
#include <memory>
#include <type_traits>

#include "spmm/spmm.hpp"

namespace sparserepro {

/// A product on the host of elements of Value. `execute` of the derived class writes y() from x()
/// and a matrix.
template <class Value>
class TypedSpmmRun : public Run<SpmmProblem> {
 public:
  TypedSpmmRun(const SpmmProblem& problem, const Params& params)
      : threads_(params.threads()),
        problem_(problem),
        y_(static_cast<std::size_t>(problem.y_rows() * problem.k())) {}

  void poison() override {
    const auto size = static_cast<std::int64_t>(y_.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t e = 0; e < size; ++e) {
      y_[e] = std::numeric_limits<Value>::quiet_NaN();
    }
  }
  Dense result() override {
    Dense out(y_rows(), k());
    std::copy(y_.begin(), y_.end(), out.data.begin());
    return out;
  }
  std::int64_t workspace_bytes() const override {
    return 0;
  }

 protected:
  std::int64_t k() const {
    return problem_.k();
  }
  std::int64_t x_rows() const {
    return problem_.x().rows;
  }
  std::int64_t y_rows() const {
    return problem_.y_rows();
  }
  bool is_transposed() const {
    return problem_.op() == Operation::transpose;
  }
  /// [x_rows() * k()] and [y_rows() * k()], row-major.
  const Value* x() const {
    return problem_.template x_as<Value>().data();
  }
  Value* y() {
    return y_.data();
  }

  int threads_;

 private:
  const SpmmProblem& problem_;
  Buffer<Value> y_;
};

/// A of the problem, its values of Value.
template <class Value, class Offset>
CsrView<Offset, Value> typed_view(const SpmmProblem& problem, const Csr<Offset, double>& a) {
  return {a.rows,           a.cols,           a.nnz(),
          a.row_ptr.data(), a.col_idx.data(), problem.values_as<Value>().data()};
}

/// Prepares `Method<Offset, Value>(problem, view of A, params)` for the types of the problem.
template <template <class, class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_typed_spmm(const SpmmProblem& problem,
                                                     const Params& params) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<SpmmProblem>> {
        using Offset = typename std::decay_t<decltype(a)>::offset_type;
        if (problem.value_type() == DataType::fp32) {
          return std::make_unique<Method<Offset, float>>(problem, typed_view<float>(problem, a),
                                                         params);
        }
        return std::make_unique<Method<Offset, double>>(problem, typed_view<double>(problem, a),
                                                        params);
      },
      problem.matrix());
}

/// The same with 32-bit row pointers alone: Method<Value>.
template <template <class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_typed_narrow_spmm(const SpmmProblem& problem,
                                                            const Params& params) {
  const auto& a = std::get<Csr<std::int32_t, double>>(problem.matrix());
  if (problem.value_type() == DataType::fp32) {
    return std::make_unique<Method<float>>(problem, typed_view<float>(problem, a), params);
  }
  return std::make_unique<Method<double>>(problem, typed_view<double>(problem, a), params);
}

}  // namespace sparserepro
