// The public plan on the host (include/sparserepro/transpose_plan.hpp): the numbers of the entries
// are transposed as values, and what becomes of them is the permutation. Values are gathered by it,
// or moved in two passes that are made of it.
#include "sparserepro/transpose_plan.hpp"

#include <limits>
#include <string>
#include <utility>

#include "formats/asked_threads.hpp"
#include "formats/buffer.hpp"
#include "formats/check_apart.hpp"
#include "formats/check_arrays.hpp"
#include "transpose/omp_plan/two_passes.hpp"

namespace sparserepro::host {

class TransposePlan::Method {
 public:
  Method(const CsrInput& a, const CsrOutput& transposed, const TransposeOptions& options,
         PlanPath path, std::size_t width)
      : nnz_(a.nnz),
        threads_(asked_threads(options.threads)),
        wide_(a.nnz > std::numeric_limits<std::int32_t>::max()) {
    wide_ ? transpose_numbers(a, transposed, options, wide_source_)
          : transpose_numbers(a, transposed, options, source_);
    if (path == PlanPath::two_passes) {
      least_width_ = 2;
    } else if (path == PlanPath::automatic && nnz_ >= HostPlanPolicy::least_entries &&
               nnz_ <= HostPlanPolicy::most_entries) {
      const double fresh = host_plan::fresh_lines(source_.data(), nnz_, threads_);
      least_width_ = fresh >= HostPlanPolicy::fresh_lines        ? 2
                     : fresh >= HostPlanPolicy::fresh_lines_wide ? 8
                                                                 : no_width;
    }
    if (nnz_ > 0 && width >= least_width_) {
      passes_ = std::make_unique<host_plan::TwoPasses>(source_.data(), nnz_, threads_);
    }
  }

  template <class Value>
  void move(const Value* from, Value* to) const {
    if (passes_ && sizeof(Value) >= least_width_ && passes_->move(from, to)) {
      return;
    }
    wide_ ? gather(from, to, wide_source_.data()) : gather(from, to, source_.data());
  }

  std::int64_t nnz() const { return nnz_; }
  ConstArray permutation() const {
    return wide_ ? ConstArray(wide_source_.data()) : ConstArray(source_.data());
  }
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(source_.size() * sizeof(std::int32_t) +
                                     wide_source_.size() * sizeof(std::int64_t)) +
           (passes_ ? passes_->bytes() : 0);
  }

 private:
  template <class Number>
  void transpose_numbers(const CsrInput& a, const CsrOutput& transposed,
                         const TransposeOptions& options, Buffer<Number>& source) {
    Buffer<Number> numbers;
    for (Buffer<Number>* const array : {&numbers, &source}) {
      resize_on_huge_pages(*array, static_cast<std::size_t>(nnz_));
    }
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t p = 0; p < nnz_; ++p) {
      numbers[p] = static_cast<Number>(p);
    }
    CsrInput numbered = a;
    numbered.values = numbers.data();
    CsrOutput out = transposed;
    out.values = source.data();
    if (nnz_ == 0) {
      numbered.values = {};
      out.values = {};
    }
    transpose(numbered, out, options);
  }

  template <class Value, class Number>
  void gather(const Value* from, Value* to, const Number* source) const {
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t q = 0; q < nnz_; ++q) {
      to[q] = from[source[q]];
    }
  }

  std::int64_t nnz_;
  int threads_;
  bool wide_;
  Buffer<std::int32_t> source_;       // [nnz] up to 2^31 - 1 entries
  Buffer<std::int64_t> wide_source_;  // [nnz] beyond
  static constexpr std::size_t no_width = 16;
  std::size_t least_width_ = no_width;  // of values that move in two passes
  std::unique_ptr<host_plan::TwoPasses> passes_;
};

TransposePlan::TransposePlan(const CsrInput& a, const CsrOutput& transposed,
                             const TransposeOptions& options, PlanPath path) {
  const CsrInput pattern = pattern_of(a);
  check_host_csr(pattern);
  if (path == PlanPath::two_passes) {
    check_range("nnz of a plan of two passes", a.nnz, HostPlanPolicy::most_entries);
  }
  method_ = std::make_unique<Method>(pattern, transposed, options, path,
                                     a.values.type == DataType::none ? 8 : bytes_of(a.values.type));
}

TransposePlan::~TransposePlan() = default;
TransposePlan::TransposePlan(TransposePlan&&) noexcept = default;
TransposePlan& TransposePlan::operator=(TransposePlan&&) noexcept = default;

void TransposePlan::operator()(const ConstArray& values, const Array& transposed) const {
  const std::int64_t nnz = method_->nnz();
  if (nnz == 0) {
    return;
  }
  if (values.type != transposed.type || values.type == DataType::none) {
    throw InputError(std::string("values are of ") + to_string(values.type) +
                     ", those of the answer of " + to_string(transposed.type) +
                     "; they must be of one type");
  }
  check_present("values", values.data, nnz);
  check_present("values of the answer", transposed.data, nnz);
  check_apart(place_of("values of the answer", transposed.data, transposed.type, nnz),
              {place_of("values of A", values.data, values.type, nnz)});
  const auto move = [&](auto value) {
    using Value = decltype(value);
    method_->move(static_cast<const Value*>(values.data), static_cast<Value*>(transposed.data));
  };
  switch (bytes_of(values.type)) {
    case 2:
      return move(std::uint16_t{});
    case 4:
      return move(std::uint32_t{});
    default:
      return move(std::uint64_t{});
  }
}

ConstArray TransposePlan::permutation() const {
  return method_->permutation();
}

std::int64_t TransposePlan::workspace_bytes() const {
  return method_->workspace_bytes();
}

}  // namespace sparserepro::host
