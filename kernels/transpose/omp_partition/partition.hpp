// omp_partition for one storage type: the path, and the method with its workspace.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>

#include "transpose/omp_partition/buckets.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/distance.hpp"
#include "transpose/omp_partition/plan.hpp"

namespace sparserepro {

/// One slice, as the serial algorithm.
template <class Offset, class Value>
class SerialScatter {
 public:
  static constexpr std::int64_t entries_of_change = HostPartitionPolicy::entries_of_change_serial;

  explicit SerialScatter(const CsrView<Offset, Value>& a) : a_(a) {}
  void run(const CscBlock<Offset, Value>& out, bool by_counts) {
    by_counts ? transpose_slice<true>(a_, Offset{0}, a_.nnz, out)
              : transpose_slice(a_, Offset{0}, a_.nnz, out);
  }
  std::int64_t workspace_bytes() const { return 0; }

 private:
  CsrView<Offset, Value> a_;
};

/// Transposes `a`, whose arrays outlive this. The row numbers of the answer are 32 bits wide.
template <class Offset, class Value>
class PartitionTranspose {
 public:
  PartitionTranspose(const CsrView<Offset, Value>& a, int threads, host::TransposePath path)
      : a_(a),
        chooses_(path == host::TransposePath::automatic),
        threads_(chooses_ ? sharing_threads(a, threads) : threads),
        made_(chooses_ ? choose_path(a, threads_) : path),
        path_(made_) {
    switch (made_) {
      case host::TransposePath::automatic:
      case host::TransposePath::serial:
        method_ = std::make_unique<SerialScatter<Offset, Value>>(a);
        break;
      case host::TransposePath::direct:
        method_ = std::make_unique<DirectTranspose<Offset, Value>>(a, threads_, fetches_answer(a));
        break;
      case host::TransposePath::columns:
        method_ = std::make_unique<ColumnTranspose<Offset, Value>>(a, threads_);
        break;
      case host::TransposePath::buckets: {
        const int shift = bucket_shift(a.cols, a.nnz);
        if (fits_narrow_keys(a, threads_)) {
          method_ = std::make_unique<NarrowBuckets>(a, threads_, shift);
        } else {
          method_ = std::make_unique<WideBuckets>(a, threads_, shift);
        }
      }
    }
  }

  /// By the path of the constructor. Serially where two threads do not pay, or where other contents
  /// than the constructor saw would take another method, or other keys, than it made.
  void run(const CscBlock<Offset, Value>& out) {
    path_ = made_;
    if (chooses_) {  // part of the method, so part of its time
      const host::TransposePath best = choose_path(a_, threads_);
      const bool far = made_ == host::TransposePath::direct && lines_travel_far(a_, threads_);
      path_ = best == host::TransposePath::serial || far ? host::TransposePath::serial : made_;
    }
    if (path_ == host::TransposePath::serial || !keys_suffice()) {
      path_ = host::TransposePath::serial;
      return run_by(SerialScatter(a_), out);
    }
    std::visit([&](auto& method) { run_by(*method, out); }, method_);
  }

  std::int64_t workspace_bytes() const {
    return std::visit([](const auto& method) { return method->workspace_bytes(); }, method_);
  }
  host::TransposePath path() const { return path_; }

 private:
  template <class Method>
  using Owner = std::unique_ptr<Method>;
  using NarrowBuckets = BucketTranspose<Offset, Value, std::uint32_t>;
  using WideBuckets = BucketTranspose<Offset, Value, std::uint64_t>;

  /// Whether row within a slice and column within a bucket fit 32 bits.
  static bool fits_narrow_keys(const CsrView<Offset, Value>& a, int threads) {
    return row_bits(a, threads) + bucket_shift(a.cols, a.nnz) <= 32;
  }
  bool keys_suffice() const {
    return !std::holds_alternative<Owner<NarrowBuckets>>(method_) || fits_narrow_keys(a_, threads_);
  }

  template <class Method>
  void run_by(Method&& method, const CscBlock<Offset, Value>& out) {
    method.run(out, row_lengths_vary(a_, std::decay_t<Method>::entries_of_change));
  }

  CsrView<Offset, Value> a_;
  bool chooses_;
  int threads_;
  host::TransposePath made_, path_;  // that of the constructor, and of the last run
  std::variant<Owner<SerialScatter<Offset, Value>>, Owner<DirectTranspose<Offset, Value>>,
               Owner<ColumnTranspose<Offset, Value>>, Owner<NarrowBuckets>, Owner<WideBuckets>>
      method_;
};

}  // namespace sparserepro
