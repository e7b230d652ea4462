// Transposition on the host by one of four paths; README.md in this folder has the method of each,
// their bounds and what was tried.
//
//   serial    one thread scatters                                        few entries
//   direct    slices of equal nnz, each scattered straight to its place  rows that stay in the
//   caches columns   partitioned by column with open lines                      few long columns
//   buckets   partitioned into buckets, each sorted within a cache       all else
//
// Source: partitioning with buffers of a cache line and streaming stores is from radix sorts and
// joins (Balkesen, Teubner, Alonso and Ozsu, "Main-memory hash joins on multi-core CPUs", ICDE
// 2013; Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014).
#include <memory>
#include <string>
#include <variant>

#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"
#include "transpose/omp_partition/buckets.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/plan.hpp"
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

HostPartitionPath path_named(const std::string& name) {
  return name == "serial"    ? HostPartitionPath::serial
         : name == "direct"  ? HostPartitionPath::direct
         : name == "columns" ? HostPartitionPath::columns
                             : HostPartitionPath::buckets;
}

template <class Offset, class Value>
class OmpPartition final : public HostTransposeRun<Offset, Value> {
 public:
  OmpPartition(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a),
        threads_(params.threads()),
        chooses_(params.text("path") == "auto"),
        path_(chooses_ ? choose_path(a.view(), threads_) : path_named(params.text("path"))) {
    const CsrView<Offset, Value> view = a.view();
    switch (path_) {
      case HostPartitionPath::serial:
        method_ = std::make_unique<SerialScatter<Offset, Value>>(view);
        break;
      case HostPartitionPath::direct:
        method_ = std::make_unique<DirectTranspose<Offset, Value>>(view, threads_);
        break;
      case HostPartitionPath::columns:
        method_ = std::make_unique<ColumnTranspose<Offset, Value>>(view, threads_);
        break;
      case HostPartitionPath::buckets: {
        const int shift = bucket_shift(a.cols, a.nnz());
        if (row_bits(view, threads_) + shift <= 32) {
          method_ = std::make_unique<BucketTranspose<Offset, Value, std::uint32_t>>(view, threads_,
                                                                                    shift);
        } else {
          method_ = std::make_unique<BucketTranspose<Offset, Value, std::uint64_t>>(view, threads_,
                                                                                    shift);
        }
      }
    }
  }

  void execute() override {
    if (chooses_) {
      path_ = choose_path(this->a_.view(), threads_);  // its time belongs to the method
    }
    const CscBlock<Offset, Value> out{this->out_.row_ptr.data(), this->out_.col_idx.data(),
                                      this->out_.values.data()};
    std::visit([&](auto& method) { method->run(out); }, method_);
  }

  std::int64_t workspace_bytes() const override {
    return std::visit([](const auto& method) { return method->workspace_bytes(); }, method_);
  }
  Measures measures() const override {
    const auto is = [&](HostPartitionPath path) { return path_ == path ? 1.0 : 0.0; };
    return {{"path_serial", is(HostPartitionPath::serial)},
            {"path_direct", is(HostPartitionPath::direct)},
            {"path_columns", is(HostPartitionPath::columns)},
            {"path_buckets", is(HostPartitionPath::buckets)}};
  }

 private:
  template <class Method>
  using Owner = std::unique_ptr<Method>;

  int threads_;
  bool chooses_;
  HostPartitionPath path_;
  std::variant<Owner<SerialScatter<Offset, Value>>, Owner<DirectTranspose<Offset, Value>>,
               Owner<ColumnTranspose<Offset, Value>>,
               Owner<BucketTranspose<Offset, Value, std::uint32_t>>,
               Owner<BucketTranspose<Offset, Value, std::uint64_t>>>
      method_;
};

/// Bytes for each thread and column of a forced path; `auto` takes none whose arrays are too large.
std::int64_t column_bytes(const std::string& path, const TransposeProblem& problem) {
  return std::visit(
      [&]<class Offset, class Value>(const Csr<Offset, Value>&) -> std::int64_t {
        return path == "direct"    ? sizeof(Offset)
               : path == "columns" ? ColumnTranspose<Offset, Value>::bytes_of_column
                                   : 0;
      },
      problem.matrix());
}

}  // namespace

Algorithm<TransposeProblem> transpose_omp_partition() {
  return {.name = "omp_partition",
          .summary = "columns partitioned into buckets sorted in cache, or scattered directly",
          .source = "own; Polychroniou and Ross, SIGMOD 2014, for the partitioning",
          .backend = Backend::omp,
          .parameters = {{"path",
                          "auto",
                          {"auto", "serial", "direct", "columns", "buckets"},
                          "how omp_partition transposes; auto: as suits the matrix"}},
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            return column_array_refusal(problem, params.threads(),
                                        column_bytes(params.text("path"), problem));
          },
          .prepare = prepare_host_transpose<OmpPartition>};
}

}  // namespace sparserepro
