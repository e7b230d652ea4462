// balanced::BalancedCsr of one storage type behind the public plan. X and Y that do not lie in rows
// without gaps go through copies in the workspace.
#pragma once

#include <optional>
#include <utility>

#include "spmm/cuda_csr_balanced/dense_copy.cuh"
#include "spmm/cuda_csr_balanced/method.hpp"
#include "spmm/cuda_csr_balanced/multiply.cuh"
#include "spmm/cuda_csr_balanced/operand.cuh"

namespace sparserepro::device {

/// The order that a path forces.
inline std::optional<RowOrder> forced_order(SpmmPath path) {
  return path == SpmmPath::automatic ? std::nullopt : std::optional(path);
}

template <class Offset, class Element>
class TypedMethod final : public SpmmPlan::Method {
 public:
  TypedMethod(const CsrInput& a, std::int64_t columns, const SpmmOptions& options)
      : Method(a, columns, options.operation, data_type_of<Element>()),
        operand_(a, options.operation),
        forced_(forced_order(options.path)),
        calls_(options.calls) {
    DeviceMemory count;
    static_cast<void>(place(count));
    bytes_ = count.bytes();
  }

  std::size_t analysis_bytes() const override { return bytes_; }
  void analyse(DeviceMemory memory, cudaStream_t stream) override {
    product_.reset();  // none either after an exception
    std::unique_ptr<Product> product = place(memory);
    operand_.analyse(stream);
    product->analyse(stream);
    product_ = std::move(product);
  }
  void set_values(const ConstArray& values, cudaStream_t stream) override {
    static_cast<void>(analysed());
    operand_.set_values(values, stream);
    product_->set_values(operand_.view().values);
  }
  std::size_t product_bytes(const DenseInput& x, const DenseOutput& y) const override {
    DeviceMemory count;
    Room(*this, x, y, count);
    return count.bytes();
  }
  void multiply(double alpha, const DenseInput& x, double beta, const DenseOutput& y,
                DeviceMemory memory, cudaStream_t stream) const override {
    const Room room(*this, x, y, memory);
    const Steps packed{k, 1};
    const auto* from = static_cast<const Element*>(x.data.data);
    if (room.x.size() > 0) {
      balanced::copy_dense_on_device(from, steps_of(x), room.x.data(), packed, cols, k, stream);
      from = room.x.data();
    }
    auto* const answer = static_cast<Element*>(y.data.data);
    Element* const to = room.y.size() > 0 ? room.y.data() : answer;
    if (to != answer && beta != 0.0) {
      balanced::copy_dense_on_device<Element>(answer, steps_of(y), to, packed, rows, k, stream);
    }
    analysed().multiply(static_cast<Sum>(alpha), from, static_cast<Sum>(beta), to,
                        room.partial.data(), stream);
    if (to != answer) {
      balanced::copy_dense_on_device<Element>(to, packed, answer, steps_of(y), rows, k, stream);
    }
  }
  SpmmPath path() const override { return analysed().plan().order; }
  std::vector<std::pair<std::string, double>> facts() const override {
    const BalancedPlan& plan = analysed().plan();
    const auto is = [&](RowOrder order) { return plan.order == order ? 1.0 : 0.0; };
    return {{"row_groups", is(RowOrder::grouped)},
            {"row_bins", is(RowOrder::binned)},
            {"row_pack", is(RowOrder::packed)},
            {"row_stage", is(RowOrder::staged)},
            {"row_short", is(RowOrder::short_rows)},
            {"row_block", is(RowOrder::blocks)},
            {"row_flat", is(RowOrder::flat)},
            {"row_merge", is(RowOrder::merged)},
            {"columns_at_once", static_cast<double>(plan.column_block)},
            {"segments", static_cast<double>(analysed().statistics().segments)}};
  }

 private:
  using Sum = balanced::SumType<Element>;
  using Product = balanced::BalancedCsr<Offset, Element>;

  /// The workspace of a product.
  struct Room {
    Room(const TypedMethod& method, const DenseInput& x_in, const DenseOutput& y_out,
         DeviceMemory& memory)
        : partial(method.analysed().partial_sums(), memory),
          x(is_packed(x_in) ? 0 : static_cast<std::size_t>(method.cols * method.k), memory),
          y(is_packed(y_out) ? 0 : static_cast<std::size_t>(method.rows * method.k), memory) {}
    DeviceArray<Sum> partial;   // of the segments of long rows
    DeviceArray<Element> x, y;  // in rows without gaps
  };

  std::unique_ptr<Product> place(DeviceMemory& memory) {
    operand_.place(memory);
    return std::make_unique<Product>(operand_.view(), k, memory, forced_, calls_);
  }
  const Product& analysed() const {
    if (!product_) {
      throw InputError("no analysis: call analyse before the first product");
    }
    return *product_;
  }

  balanced::Operand<Offset, Element> operand_;
  std::optional<RowOrder> forced_;
  std::int64_t calls_;
  std::size_t bytes_ = 0;
  std::unique_ptr<Product> product_;  // once it is analysed
};

template <class Element>
std::unique_ptr<SpmmPlan::Method> make_method(const CsrInput& a, std::int64_t k,
                                              const SpmmOptions& options) {
  if (a.row_ptr.type == DataType::int32) {
    return std::make_unique<TypedMethod<std::int32_t, Element>>(a, k, options);
  }
  return std::make_unique<TypedMethod<std::int64_t, Element>>(a, k, options);
}

}  // namespace sparserepro::device
