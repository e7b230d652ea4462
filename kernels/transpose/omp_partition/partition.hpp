// omp_partition for one storage type: the path, and the method with its workspace.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <variant>
#include <vector>

#include "transpose/omp_partition/buckets.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/path_race.hpp"
#include "transpose/omp_partition/plan.hpp"
#include "transpose/omp_partition/sharing.hpp"

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
    make(made_);
  }

  /// By the path of the constructor, or by another one that is faster. Serially where two threads
  /// do not pay, or where other contents than the constructor saw would take another method, or
  /// other keys, than it made.
  void run(const CscBlock<Offset, Value>& out) {
    const bool races = may_race();
    if (races && race_.begins()) {
      race_.enter(name_ways());
    }
    // The choice is part of the method, so part of its time.
    const auto start = std::chrono::steady_clock::now();
    const Way way = races ? ways_[race_.way()] : ways_[0];
    path_ = way.path;
    if ((path_ == made_ && chooses_ && choose_path(a_, threads_) == host::TransposePath::serial) ||
        !keys_suffice(path_)) {
      path_ = host::TransposePath::serial;
      make(path_);
    }
    std::visit([&](auto& method) { run_by(*method, out, way); }, method_of(path_));
    if (races) {
      race_.note(std::chrono::steady_clock::now() - start);
    }
  }

  std::int64_t workspace_bytes() const {
    std::int64_t bytes = 0;
    for (const Method& of_path : methods_) {
      bytes += std::visit(
          [](const auto& method) { return method ? method->workspace_bytes() : std::int64_t{0}; },
          of_path);
    }
    return bytes;
  }
  host::TransposePath path() const { return path_; }

 private:
  template <class Type>
  using Owner = std::unique_ptr<Type>;
  using NarrowBuckets = BucketTranspose<Offset, Value, std::uint32_t>;
  using WideBuckets = BucketTranspose<Offset, Value, std::uint64_t>;
  using Method =
      std::variant<Owner<SerialScatter<Offset, Value>>, Owner<DirectTranspose<Offset, Value>>,
                   Owner<ColumnTranspose<Offset, Value>>, Owner<NarrowBuckets>, Owner<WideBuckets>>;

  /// A way to the answer. `eager`: lines of the answer are asked for ahead whatever its size,
  /// places come without ranks, and entries by counts unless rows have nearly all one length.
  /// `in_units`: path direct, rows with the same columns together.
  struct Way {
    host::TransposePath path;
    bool eager = false, in_units = false;
  };

  /// Where no last-level cache is near, lines are worth asking for in any case.
  static bool is_eager_at_once(host::TransposePath path) {
    return path == host::TransposePath::direct && !has_near_last_level_cache();
  }

  Method& method_of(host::TransposePath path) { return methods_[static_cast<std::size_t>(path)]; }

  /// Allocates the method of `path`, if it is not there.
  void make(host::TransposePath path) {
    Method& method = method_of(path);
    if (std::visit([](const auto& of_type) { return of_type != nullptr; }, method)) {
      return;
    }
    switch (path) {
      case host::TransposePath::automatic:
      case host::TransposePath::serial:
        method = std::make_unique<SerialScatter<Offset, Value>>(a_);
        break;
      case host::TransposePath::direct:
        method = std::make_unique<DirectTranspose<Offset, Value>>(
            a_, threads_, has_near_last_level_cache() && has_large_answer(a_));
        break;
      case host::TransposePath::columns:
        method = std::make_unique<ColumnTranspose<Offset, Value>>(a_, threads_);
        break;
      case host::TransposePath::buckets:
        const int shift = bucket_shift(a_.cols, a_.nnz);
        if (fits_narrow_keys(a_, threads_)) {
          method = std::make_unique<NarrowBuckets>(a_, threads_, shift);
        } else {
          method = std::make_unique<WideBuckets>(a_, threads_, shift);
        }
    }
  }

  /// Whether row within a slice and column within a bucket fit 32 bits.
  static bool fits_narrow_keys(const CsrView<Offset, Value>& a, int threads) {
    return row_bits(a, threads) + bucket_shift(a.cols, a.nnz) <= 32;
  }
  bool keys_suffice(host::TransposePath path) {
    return !std::holds_alternative<Owner<NarrowBuckets>>(method_of(path)) ||
           fits_narrow_keys(a_, threads_);
  }

  /// Whether executions try another path: the caches may not hold the answer of a scatter.
  bool may_race() const {
    return chooses_ && threads_ <= 2 &&
           (made_ == host::TransposePath::serial || made_ == host::TransposePath::direct) &&
           a_.nnz >= HostPartitionPolicy::serial_entries_of_two;
  }

  /// Names the ways of this period and returns their number: the path of the constructor, the same
  /// eagerly, for one thread path direct or serial, that in units where rows are alike, and the
  /// path for an answer that the caches do not hold. None that there is no memory for.
  int name_ways() {
    using enum host::TransposePath;
    ways_.resize(1);
    if (has_near_last_level_cache()) {
      ways_.push_back({made_, true});
    }
    const auto add = [&](Way way) {
      try {
        make(way.path);
        if (way.in_units) {
          std::get<Owner<DirectTranspose<Offset, Value>>>(method_of(direct))->be_in_units(true);
        }
        ways_.push_back(way);
      } catch (const std::bad_alloc&) {
      }
    };
    if (made_ == serial) {
      add({direct, true});
    } else if (threads_ == 1) {
      add({serial});
    }
    if (has_near_last_level_cache() && rows_are_alike(a_)) {
      add({direct, false, true});
    }
    if (const auto path = choose_path(a_, threads_, false); path != made_) {
      add({path});
    }
    return static_cast<int>(ways_.size());
  }

  template <class Type>
  void run_by(Type& method, const CscBlock<Offset, Value>& out, Way way) {
    if constexpr (requires { method.be_eager(way.eager); }) {
      method.be_eager(way.eager);
      method.be_in_units(way.in_units);
    }
    method.run(out, row_lengths_vary(a_, way.eager ? HostPartitionPolicy::entries_of_change_eager
                                                   : Type::entries_of_change));
  }

  CsrView<Offset, Value> a_;
  bool chooses_;
  int threads_;
  host::TransposePath made_, path_;  // that of the constructor, and of the last run
  std::array<Method, 5> methods_;    // of each path that ran
  PathRace race_;
  std::vector<Way> ways_{{made_, is_eager_at_once(made_)}};  // in this period
};

}  // namespace sparserepro
