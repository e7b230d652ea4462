// Own best on the CPU. Three ways, chosen by a test of locality (omp_partition_policy.hpp): a
// matrix whose rows scatter within the caches (bands, meshes) is scattered directly; every other
// one is partitioned into buckets of columns that are then sorted in a cache, or, when its columns
// are few, by column.
//
// Traffic per entry with fp64 (the least is 24 bytes): partitioning reads 4 to count, 12 to
// partition and 12 to sort, and streams 12 twice, 52 bytes in order, 28 where nothing is to sort;
// the direct path moves 40, of which 24 go where the columns say and, when they miss the caches,
// each cost a line of 64.
//
// Measured beside this one on 16 cores of a Xeon of generation 5, times over those of the design
// kept, on 1, 4 and 16 threads, uniform 3M x 3M with 20M entries: direct (ScanTrans without its
// ranks) 2.4, 3.1 and 4.2; buckets placed straight into the answer instead of staged in the cache
// 1.25, 1.25 and 1.2; pairs of 16 bytes instead of separate keys and values 1.3, 1.25 and 1.1; open
// lines of half the length 1.3, 1.25 and 1.2. The serial counting sort: 2.3, 9.4 and 22.
//
// Source: partitioning with buffers of a cache line and streaming stores is from radix sorts and
// joins (Balkesen, Teubner, Alonso and Ozsu, "Main-memory hash joins on multi-core CPUs", ICDE
// 2013; Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014).
#include <bit>
#include <memory>
#include <variant>

#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"
#include "transpose/omp_partition/buckets.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/slices.hpp"

namespace sparserepro {
namespace {

/// One slice, as the serial algorithm.
template <class Offset, class Value>
class SerialScatter {
 public:
  explicit SerialScatter(const CsrView<Offset, Value>& a) : a_(a) {}
  void run(const CscBlock<Offset, Value>& out) { transpose_slice(a_, Offset{0}, a_.nnz, out); }
  std::int64_t workspace_bytes() const { return 0; }

 private:
  CsrView<Offset, Value> a_;
};

template <class Offset, class Value>
class OmpPartition final : public HostTransposeRun<Offset, Value> {
 public:
  OmpPartition(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a), threads_(params.threads()) {
    const CsrView<Offset, Value> view = a.view();
    const int shift = bucket_shift(a.cols, a.nnz());
    switch (choose()) {
      case Path::serial:
        path_ = std::make_unique<SerialScatter<Offset, Value>>(view);
        break;
      case Path::direct:
        path_ = std::make_unique<DirectTranspose<Offset, Value>>(view, threads_);
        break;
      case Path::columns:
        path_ = std::make_unique<ColumnTranspose<Offset, Value>>(view, threads_);
        break;
      case Path::buckets:
        if (row_bits() + shift <= 32) {
          path_ = std::make_unique<BucketTranspose<Offset, Value, std::uint32_t>>(view, threads_,
                                                                                  shift);
        } else {
          path_ = std::make_unique<BucketTranspose<Offset, Value, std::uint64_t>>(view, threads_,
                                                                                  shift);
        }
    }
  }

  void execute() override {
    const Path path = choose();  // depends on the matrix alone; its time belongs to the method
    const CscBlock<Offset, Value> out{this->out_.row_ptr.data(), this->out_.col_idx.data(),
                                      this->out_.values.data()};
    chosen_ = path;
    std::visit([&](auto& method) { method->run(out); }, path_);
  }

  std::int64_t workspace_bytes() const override {
    return std::visit([](const auto& method) { return method->workspace_bytes(); }, path_);
  }
  Measures measures() const override {
    return {{"partitioned", chosen_ == Path::serial || chosen_ == Path::direct ? 0.0 : 1.0}};
  }

 private:
  enum class Path { serial, direct, columns, buckets };

  Path choose() const {
    const CsrView<Offset, Value> a = this->a_.view();
    if (a.nnz < HostPartitionPolicy::serial_entries) {
      return Path::serial;
    }
    const bool counters_fit = static_cast<double>(threads_) * a.cols * sizeof(Offset) <=
                              static_cast<double>(max_column_array_bytes);
    if (!counters_fit || !scatters_locally(a, threads_)) {
      return columns_alone_pay(a.cols, a.nnz, threads_) ? Path::columns : Path::buckets;
    }
    return threads_ == 1 ? Path::serial : Path::direct;
  }

  /// Bits of a row number counted from the first row of its slice.
  int row_bits() const {
    const CsrView<Offset, Value> a = this->a_.view();
    std::int64_t most_rows = 1;
    for (int s = 0; s < threads_; ++s) {
      const auto begin = static_cast<Offset>(part_begin(a.nnz, threads_, s));
      const auto end = static_cast<Offset>(part_begin(a.nnz, threads_, s + 1));
      if (begin < end) {
        most_rows =
            std::max(most_rows, segment_of(a.row_ptr, a.rows, static_cast<Offset>(end - 1)) -
                                    segment_of(a.row_ptr, a.rows, begin) + 1);
      }
    }
    return std::bit_width(static_cast<std::uint64_t>(most_rows - 1));
  }

  template <class Method>
  using Owner = std::unique_ptr<Method>;

  int threads_;
  std::variant<Owner<SerialScatter<Offset, Value>>, Owner<DirectTranspose<Offset, Value>>,
               Owner<ColumnTranspose<Offset, Value>>,
               Owner<BucketTranspose<Offset, Value, std::uint32_t>>,
               Owner<BucketTranspose<Offset, Value, std::uint64_t>>>
      path_;
  Path chosen_{};
};

}  // namespace

Algorithm<TransposeProblem> transpose_omp_partition() {
  return {.name = "omp_partition",
          .summary = "columns partitioned into buckets sorted in cache, or scattered directly",
          .source = "own; Polychroniou and Ross, SIGMOD 2014, for the partitioning",
          .backend = Backend::omp,
          .prepare = prepare_host_transpose<OmpPartition>};
}

}  // namespace sparserepro
