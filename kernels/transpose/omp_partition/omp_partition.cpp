// Transposition on the host by one of four paths; README.md in this folder has the method of each,
// their bounds and what was tried.
//
//   serial    few entries: one thread scatters
//   direct    entries that stay in the caches: slices of equal nnz, each scattered to its place
//   columns   few long columns: partitioned by column with open lines
//   buckets   all else: partitioned into buckets, each sorted within a cache
//
// Source: partitioning with buffers of a cache line and streaming stores is from radix sorts and
// joins (Balkesen, Teubner, Alonso and Ozsu, "Main-memory hash joins on multi-core CPUs", ICDE
// 2013; Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014).
#include <string>
#include <variant>

#include "formats/public_views.hpp"
#include "sparserepro/transpose.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/column_arrays.hpp"
#include "transpose/host_run.hpp"
#include "transpose/omp_partition/columns.hpp"

namespace sparserepro {
namespace {

using host::TransposePath;

TransposePath path_named(const std::string& name) {
  return name == "serial"    ? TransposePath::serial
         : name == "direct"  ? TransposePath::direct
         : name == "columns" ? TransposePath::columns
         : name == "buckets" ? TransposePath::buckets
                             : TransposePath::automatic;
}

template <class Offset, class Value>
class OmpPartition final : public HostTransposeRun<Offset, Value> {
 public:
  OmpPartition(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a),
        transposer_(public_view(a),
                    {.threads = params.threads(), .path = path_named(params.text("path"))}) {}

  void execute() override { transposer_(public_output(this->out_)); }

  std::int64_t workspace_bytes() const override { return transposer_.workspace_bytes(); }
  Measures measures() const override {
    const auto is = [&](TransposePath path) { return transposer_.path() == path ? 1.0 : 0.0; };
    return {{"path_serial", is(TransposePath::serial)},
            {"path_direct", is(TransposePath::direct)},
            {"path_columns", is(TransposePath::columns)},
            {"path_buckets", is(TransposePath::buckets)}};
  }

 private:
  host::Transposer transposer_;
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
                          "method; auto: chosen by the matrix"}},
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            return column_array_refusal(problem, params.threads(),
                                        column_bytes(params.text("path"), problem));
          },
          .prepare = prepare_transpose<OmpPartition>};
}

}  // namespace sparserepro
