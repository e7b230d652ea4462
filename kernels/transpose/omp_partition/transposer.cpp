// The public transposition on the host (include/sparserepro/transpose.hpp): types at run time in,
// PartitionTranspose of one storage type behind.
//
// Values are moved and never read as numbers, so there is one instance for each width. Column
// numbers of 64 bits are copied to 32, and those of the answer back, by all threads.
#include <string>
#include <utility>

#include "formats/asked_threads.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "formats/convert.hpp"
#include "sparserepro/transpose.hpp"
#include "transpose/omp_partition/partition.hpp"

namespace sparserepro::host {

/// Transposes as Transposer does; arrays and options are checked.
class Transposer::Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual void operator()(const CsrOutput& out) = 0;
  virtual std::int64_t workspace_bytes() const = 0;
  virtual TransposePath path() const = 0;
};

namespace {

template <class Offset, class Value>
class TypedMethod final : public Transposer::Method {
 public:
  TypedMethod(const CsrInput& a, int threads, TransposePath path)
      : a_(a),
        threads_(threads),
        narrow_columns_(wide() ? static_cast<std::size_t>(a.nnz) : 0),
        narrow_rows_(narrow_columns_.size()),
        transpose_(view(), threads, path) {}

  void operator()(const CsrOutput& out) override {
    check_row_ends(a_);  // the contents may have changed
    check_csr_output(a_, out, a_.cols);
    check_csr_apart(a_, out, a_.cols);
    if (wide()) {
      narrow();
    }
    auto* const rows = wide() ? narrow_rows_.data() : static_cast<index_t*>(out.col_idx.data);
    transpose_.run(
        {static_cast<Offset*>(out.row_ptr.data), rows, static_cast<Value*>(out.values.data)});
    if (wide()) {
      convert(narrow_rows_.data(), narrow_rows_.size(),
              static_cast<std::int64_t*>(out.col_idx.data), threads_);
    }
  }
  std::int64_t workspace_bytes() const override {
    return transpose_.workspace_bytes() +
           static_cast<std::int64_t>(2 * narrow_rows_.size() * sizeof(index_t));
  }
  TransposePath path() const override { return transpose_.path(); }

 private:
  bool wide() const { return a_.col_idx.type == DataType::int64; }
  void narrow() {
    convert(static_cast<const std::int64_t*>(a_.col_idx.data), narrow_columns_.size(),
            narrow_columns_.data(), threads_);
  }
  /// With the columns in place, since the path depends on them.
  CsrView<Offset, Value> view() {
    if (wide()) {
      narrow();
    }
    return {static_cast<index_t>(a_.rows),
            static_cast<index_t>(a_.cols),
            static_cast<Offset>(a_.nnz),
            static_cast<const Offset*>(a_.row_ptr.data),
            wide() ? narrow_columns_.data() : static_cast<const index_t*>(a_.col_idx.data),
            static_cast<const Value*>(a_.values.data)};
  }

  CsrInput a_;
  int threads_;
  Buffer<index_t> narrow_columns_, narrow_rows_;  // [nnz] where column numbers have 64 bits
  PartitionTranspose<Offset, Value> transpose_;
};

template <class Offset>
std::unique_ptr<Transposer::Method> method_for(const CsrInput& a, int threads, TransposePath path) {
  switch (bytes_of(a.values.type)) {
    case 0:
      return std::make_unique<TypedMethod<Offset, Pattern>>(a, threads, path);
    case 2:
      return std::make_unique<TypedMethod<Offset, std::uint16_t>>(a, threads, path);
    case 4:
      return std::make_unique<TypedMethod<Offset, std::uint32_t>>(a, threads, path);
    default:
      return std::make_unique<TypedMethod<Offset, std::uint64_t>>(a, threads, path);
  }
}

}  // namespace

Transposer::Transposer(const CsrInput& a, const TransposeOptions& options) {
  check_host_csr(a);
  const int threads = asked_threads(options.threads);
  method_ = a.row_ptr.type == DataType::int32 ? method_for<std::int32_t>(a, threads, options.path)
                                              : method_for<std::int64_t>(a, threads, options.path);
}

Transposer::~Transposer() = default;
Transposer::Transposer(Transposer&&) noexcept = default;
Transposer& Transposer::operator=(Transposer&&) noexcept = default;

void Transposer::operator()(const CsrOutput& transposed) {
  (*method_)(transposed);
}

std::int64_t Transposer::workspace_bytes() const {
  return method_->workspace_bytes();
}

TransposePath Transposer::path() const {
  return method_->path();
}

void transpose(const CsrInput& a, const CsrOutput& transposed, const TransposeOptions& options) {
  Transposer(a, options)(transposed);
}

namespace {

template <class Offset, class Index>
void validate_typed(const CsrInput& a) {
  const auto* const row_ptr = static_cast<const Offset*>(a.row_ptr.data);
  const auto* const col_idx = static_cast<const Index*>(a.col_idx.data);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (row_ptr[i] > row_ptr[i + 1]) {
      throw InputError("row_ptr falls at row " + std::to_string(i));
    }
  }
  for (std::int64_t p = 0; p < a.nnz; ++p) {
    if (col_idx[p] < 0 || col_idx[p] >= a.cols) {
      throw InputError("entry " + std::to_string(p) + " is in column " +
                       std::to_string(col_idx[p]) + "; the matrix has " + std::to_string(a.cols));
    }
  }
}

}  // namespace

void validate(const CsrInput& a) {
  check_host_csr(a);
  const bool wide_pointers = a.row_ptr.type == DataType::int64;
  if (a.col_idx.type == DataType::int64) {
    wide_pointers ? validate_typed<std::int64_t, std::int64_t>(a)
                  : validate_typed<std::int32_t, std::int64_t>(a);
  } else {
    wide_pointers ? validate_typed<std::int64_t, std::int32_t>(a)
                  : validate_typed<std::int32_t, std::int32_t>(a);
  }
}

}  // namespace sparserepro::host
