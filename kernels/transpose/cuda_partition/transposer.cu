// The public transposition on a device (include/sparserepro/device/transpose.hpp): types at run
// time in, partition::Transposer of one width of values behind.
//
// Values are moved and never read as numbers. Column numbers of 64 bits are copied to 32 in the
// workspace, values of 2 bytes to 4, and those of the answer back: a pass over them before and one
// after.
#include <algorithm>
#include <memory>
#include <utility>

#include "cuda/convert.cuh"
#include "cuda/device_memory.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "sparserepro/device/transpose.hpp"
#include "transpose/cuda_partition/limits.hpp"
#include "transpose/cuda_partition/transposer.cuh"

namespace sparserepro::device {

/// Transposes as Transposer does; arrays and workspace are checked.
class Transposer::Method {
 public:
  explicit Method(const CsrInput& a) : shape(a) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual std::size_t workspace_bytes() const = 0;
  virtual void bind(DeviceMemory memory, cudaStream_t stream) = 0;
  virtual void queue(const CsrInput& a, const CsrOutput& out, cudaStream_t stream) = 0;
  virtual partition::Facts facts(cudaStream_t stream) const = 0;

  const CsrInput shape;  ///< without arrays
};

namespace {

/// Value: what the entries of the workspace have.
template <class Offset, class Value>
class TypedMethod final : public Transposer::Method {
 public:
  TypedMethod(const CsrInput& a, const TransposeOptions& options)
      : Method(a),
        options_(options),
        wide_(a.col_idx.type == DataType::int64),
        short_values_(bytes_of(a.values.type) == 2) {
    DeviceMemory count;
    place(count, nullptr);
    bytes_ = count.bytes();
    transposer_.reset();
  }

  std::size_t workspace_bytes() const override { return bytes_; }

  void bind(DeviceMemory memory, cudaStream_t stream) override {
    transposer_.reset();
    bound_ = memory;
    place(memory, stream);
  }

  void queue(const CsrInput& a, const CsrOutput& out, cudaStream_t stream) override {
    if (!transposer_) {
      throw InputError("no workspace: call bind before the first transposition");
    }
    if (interrupted_) {
      DeviceMemory memory = bound_;
      place(memory, stream);
    }
    interrupted_ = true;
    const auto count = static_cast<std::size_t>(shape.nnz);
    const auto* columns = static_cast<const index_t*>(a.col_idx.data);
    const auto* values = static_cast<const Value*>(a.values.data);
    auto* rows = static_cast<index_t*>(out.col_idx.data);
    auto* out_values = static_cast<Value*>(out.values.data);
    if (wide_) {
      convert_on_device(static_cast<const std::int64_t*>(a.col_idx.data), columns_.data(), count,
                        stream);
      columns = columns_.data();
      rows = rows_.data();
    }
    if constexpr (std::is_same_v<Value, std::uint32_t>) {
      if (short_values_) {
        convert_on_device(static_cast<const std::uint16_t*>(a.values.data), values_.data(), count,
                          stream);
        values = values_.data();
        out_values = out_values_.data();
      }
    }
    (*transposer_)({static_cast<index_t>(shape.rows), static_cast<index_t>(shape.cols),
                    static_cast<Offset>(shape.nnz), static_cast<const Offset*>(a.row_ptr.data),
                    columns, values},
                   static_cast<Offset*>(out.row_ptr.data), rows, out_values, stream);
    if (wide_) {
      convert_on_device(rows, static_cast<std::int64_t*>(out.col_idx.data), count, stream);
    }
    if constexpr (std::is_same_v<Value, std::uint32_t>) {
      if (short_values_) {
        convert_on_device(out_values, static_cast<std::uint16_t*>(out.values.data), count, stream);
      }
    }
    interrupted_ = false;
  }

  partition::Facts facts(cudaStream_t stream) const override {
    return transposer_ ? transposer_->facts(stream) : partition::Facts{};
  }

 private:
  void place(DeviceMemory& memory, cudaStream_t stream) {
    const auto count = static_cast<std::size_t>(shape.nnz);
    columns_ = DeviceArray<index_t>(wide_ ? count : 0, memory);
    rows_ = DeviceArray<index_t>(wide_ ? count : 0, memory);
    values_ = DeviceArray<std::uint32_t>(short_values_ ? count : 0, memory);
    out_values_ = DeviceArray<std::uint32_t>(short_values_ ? count : 0, memory);
    // In its place for good: its parts refer to each other.
    transposer_ = std::make_unique<partition::Transposer<Offset, Value>>(
        static_cast<index_t>(shape.rows), static_cast<index_t>(shape.cols),
        static_cast<Offset>(shape.nnz), options_, memory, stream);
  }

  TransposeOptions options_;
  bool wide_, short_values_;
  /// A launch of the last call failed, and kernels before it have left their words as they were.
  bool interrupted_ = false;
  std::size_t bytes_ = 0;
  DeviceMemory bound_;
  DeviceArray<index_t> columns_, rows_;             // [nnz] where column numbers have 64 bits
  DeviceArray<std::uint32_t> values_, out_values_;  // [nnz] where values have 2 bytes
  std::unique_ptr<partition::Transposer<Offset, Value>> transposer_;
};

template <class Offset>
std::unique_ptr<Transposer::Method> method_for(const CsrInput& a, const TransposeOptions& options) {
  switch (bytes_of(a.values.type)) {
    case 0:
      return std::make_unique<TypedMethod<Offset, Pattern>>(a, options);
    case 2:
    case 4:
      return std::make_unique<TypedMethod<Offset, std::uint32_t>>(a, options);
    default:
      return std::make_unique<TypedMethod<Offset, std::uint64_t>>(a, options);
  }
}

/// `a` with something where its arrays will be, so that shape and types alone are checked.
CsrInput with_arrays(CsrInput a) {
  static const char anything = 0;
  a.row_ptr.data = a.col_idx.data = a.values.data = &anything;
  return a;
}

}  // namespace

Transposer::Transposer(const CsrInput& a, const TransposeOptions& options) {
  check_csr(with_arrays(a));
  const DeviceLimits& device = device_limits();
  const std::size_t bytes = bytes_of(a.values.type) == 2 ? 4 : bytes_of(a.values.type);
  if (const std::string reason =
          partition::limit_refusal(a.rows, a.cols, a.nnz, bytes, options, device.multiprocessors,
                                   device.shared_bytes_per_block);
      !reason.empty()) {
    throw InputError(reason);
  }
  method_ = a.row_ptr.type == DataType::int32 ? method_for<std::int32_t>(a, options)
                                              : method_for<std::int64_t>(a, options);
}

Transposer::~Transposer() = default;
Transposer::Transposer(Transposer&&) noexcept = default;
Transposer& Transposer::operator=(Transposer&&) noexcept = default;

std::size_t Transposer::workspace_bytes() const {
  return method_->workspace_bytes();
}

void Transposer::bind(void* workspace, std::size_t bytes, Stream stream) {
  method_->bind(device_workspace(workspace, bytes, method_->workspace_bytes()), stream);
}

void Transposer::operator()(const CsrInput& a, const CsrOutput& transposed, Stream stream) {
  check_same_shape(method_->shape, a);
  check_csr(a);
  check_csr_output(a, transposed, a.cols);
  check_aligned("A", a.row_ptr.data, a.col_idx.data, a.values.data);
  check_aligned("the answer", transposed.row_ptr.data, transposed.col_idx.data,
                transposed.values.data);
  check_csr_apart(a, transposed, a.cols);
  method_->queue(a, transposed, stream);
}

std::vector<std::pair<std::string, double>> Transposer::facts(Stream stream) const {
  return method_->facts(stream);
}

void transpose(void* workspace, std::size_t& bytes, const CsrInput& a, const CsrOutput& transposed,
               Stream stream, const TransposeOptions& options) {
  Transposer transposer(a, options);
  if (workspace == nullptr) {
    bytes = std::max<std::size_t>(transposer.workspace_bytes(), 1);
    return;
  }
  transposer.bind(workspace, bytes, stream);
  transposer(a, transposed, stream);
}

}  // namespace sparserepro::device
