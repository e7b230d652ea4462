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
        threads_(threads),
        chooses_(path == host::TransposePath::automatic),
        path_(chooses_ ? choose_path(a, threads) : path) {
    switch (path_) {
      case host::TransposePath::automatic:
      case host::TransposePath::serial:
        method_ = std::make_unique<SerialScatter<Offset, Value>>(a);
        break;
      case host::TransposePath::direct:
        method_ = std::make_unique<DirectTranspose<Offset, Value>>(a, threads, fetches_answer(a));
        break;
      case host::TransposePath::columns:
        method_ = std::make_unique<ColumnTranspose<Offset, Value>>(a, threads);
        break;
      case host::TransposePath::buckets: {
        const int shift = bucket_shift(a.cols, a.nnz);
        if (row_bits(a, threads) + shift <= 32) {
          method_ =
              std::make_unique<BucketTranspose<Offset, Value, std::uint32_t>>(a, threads, shift);
        } else {
          method_ =
              std::make_unique<BucketTranspose<Offset, Value, std::uint64_t>>(a, threads, shift);
        }
      }
    }
  }

  void run(const CscBlock<Offset, Value>& out) {
    if (chooses_) {  // part of the method, so part of its time
      path_ = choose_path(a_, threads_);
      if (path_ == host::TransposePath::direct && lines_travel_far(a_, threads_)) {
        path_ = host::TransposePath::serial;
        run_by(SerialScatter(a_), out);
        return;
      }
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

  template <class Method>
  void run_by(Method&& method, const CscBlock<Offset, Value>& out) {
    method.run(out, row_lengths_vary(a_, std::decay_t<Method>::entries_of_change));
  }

  CsrView<Offset, Value> a_;
  int threads_;
  bool chooses_;
  host::TransposePath path_;
  std::variant<Owner<SerialScatter<Offset, Value>>, Owner<DirectTranspose<Offset, Value>>,
               Owner<ColumnTranspose<Offset, Value>>,
               Owner<BucketTranspose<Offset, Value, std::uint32_t>>,
               Owner<BucketTranspose<Offset, Value, std::uint64_t>>>
      method_;
};

}  // namespace sparserepro
