// ScanTrans on the device: partial histograms of slices of the entries, scanned, and a scatter.
//
//   1. count     inter[d][t] = entries of slice t with digit d
//   2. scan      exclusive scan of inter, digit after digit: the vertical scan and the scan of the
//                totals in one
//   3. scatter   entry e of slice t with digit d goes to inter[d][t] + intra[e], where intra[e] is
//                the number of earlier entries of slice t with digit d
//
// In the paper, d is the column, and inter takes 4 K n bytes for K slices and n columns: 1.3 GB for
// 610 slices of 500k columns, where A takes 120 MB. Here, with more than 2^11 columns, d is a digit
// of the column number; passes over all digits, the lowest first, sort by column, since each pass
// is stable. Two passes suffice for 2^22 columns. Other differences from the paper:
//
//   intra     not stored: the scatter counts it by votes of the lanes with equal digits
//   rows      expanded within the scatter of the first pass
//   writes    a slice is sorted in shared memory first, so that entries of a digit are written
//             together
//   pointers  with one pass, the scanned table; with several, the scan of the entries of each
//             column, which the last pass counts by two additions for each column of a slice
//
// Bytes an entry, with V bytes a value: one pass 4 + 2 (4 + V); each further pass 4 for the count
// and 2 (8 + V); the last of several writes no columns: -4. Two passes move 48 bytes for fp32 and
// 64 for fp64; the minimum is 16 and 24.
//
// Source: Wang, Liu, Hou, Feng, "Parallel transposition of sparse data structures", ICS'16, 4.1;
// transposition seed III-B. Corrected: the position of the seed has no block index in inter[c] and
// takes i / nnz for the block of entry i, and its check of the position silently drops elements.
#include <string>
#include <type_traits>
#include <variant>

#include "cuda/block_size.hpp"
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/papers/cuda_scantrans/policy.hpp"
#include "transpose/papers/device_limits.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "transpose/cuda_run.cuh"
#include "transpose/papers/cuda_scantrans/kernels.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaScantrans final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaScantrans(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        threads_(static_cast<unsigned>(params.integer("block_size"))),
        tile_(static_cast<unsigned>(ScantransPolicy::tile(threads_))),
        tiles_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz(), tile_))),
        stride_(ceil_div(tiles_, group) * group),
        digits_(bits_below(static_cast<std::uint64_t>(a.cols))) {
    if (a.nnz() == 0) {
      return;
    }
    const auto entries = static_cast<std::size_t>(a.nnz());
    const cudaStream_t s = this->stream();
    table_ = DeviceBuffer<unsigned>(std::size_t{stride_} << digits_.width(digits_.passes - 1), s);
    for (int i = 0; i < std::min(digits_.passes - 1, 2); ++i) {
      columns_[i] = DeviceBuffer<unsigned>(entries, s);
    }
    std::size_t scan_bytes = 0, pointer_bytes = 0;
    scan_table(nullptr, scan_bytes, table_.size());
    if (digits_.passes > 1) {
      rows_ = DeviceBuffer<unsigned>(entries, s);
      between_ = DeviceBuffer<Value>(a.values.size(), s);
      column_counts_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(a.cols) + 1, s);
      scan_counts(nullptr, pointer_bytes);
    }
    scan_storage_ = DeviceBuffer<char>(std::max(scan_bytes, pointer_bytes), s);
    allow();
  }

  void execute() override {
    const auto in = this->a();
    if (in.nnz == 0) {
      this->write_empty();
      return;
    }
    column_counts_.fill_bytes(0, this->stream());
    scantrans::Source<Value> from{reinterpret_cast<const unsigned*>(in.col_idx), nullptr,
                                  in.values};
    for (int p = 0; p < digits_.passes; ++p) {
      const auto to = written_by(p);
      apply(p, from, to);
      from = {to.columns, to.rows, to.values};
    }
    write_pointers();
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(table_.bytes() + columns_[0].bytes() + columns_[1].bytes() +
                                     rows_.bytes() + between_.bytes() + column_counts_.bytes() +
                                     scan_storage_.bytes());
  }

  Measures measures() const override {
    return {{"passes", static_cast<double>(digits_.passes)},
            {"slices", static_cast<double>(tiles_)}};
  }

 private:
  static constexpr unsigned group = ScantransPolicy::counted_tiles;

  bool last(int p) const { return p + 1 == digits_.passes; }

  scantrans::Pass pass(int p) {
    return {static_cast<unsigned>(this->a().nnz),
            tiles_,
            tile_,
            digits_.shift(p),
            digits_.width(p),
            stride_,
            table_.data()};
  }

  /// Output of pass p: the last one writes A^T, the others write to the workspace and to the arrays
  /// of A^T alternately.
  scantrans::Target<Value> written_by(int p) {
    unsigned* const columns = last(p) ? nullptr : columns_[p % 2].data();
    if ((digits_.passes - 1 - p) % 2 == 0) {
      return {columns, reinterpret_cast<unsigned*>(this->row_idx()), this->values(),
              column_counts_.data()};
    }
    return {columns, rows_.data(), between_.data(), nullptr};
  }

  using Scatter = void (*)(scantrans::Pass, AnyPointers, unsigned, scantrans::Source<Value>,
                           scantrans::Target<Value>);
  Scatter scatter_of(int p) const {
    if (p == 0) {
      return last(p) ? scantrans::scatter_kernel<true, true, Value>
                     : scantrans::scatter_kernel<true, false, Value>;
    }
    return last(p) ? scantrans::scatter_kernel<false, true, Value>
                   : scantrans::scatter_kernel<false, false, Value>;
  }

  static std::size_t count_bytes(const scantrans::Pass& pass) {
    return group * pass.digits() * sizeof(unsigned);
  }
  std::size_t scatter_bytes(const scantrans::Pass& pass) const {
    return scantrans::ScatterShared::of<Value>(threads_, pass.digits()).bytes;
  }

  void allow() {
    static_assert(
        static_cast<std::int64_t>(
            scantrans::ScatterShared::of<Value>(ScantransPolicy::largest_block,
                                                std::size_t{1} << ScantransPolicy::most_bits)
                .bytes) ==
        ScantransPolicy::most_shared_bytes(ScantransPolicy::largest_block, value_bytes<Value>));
    for (int p = 0; p < digits_.passes; ++p) {
      allow_all_shared(scantrans::count_kernel<>, scatter_of(p));
    }
  }

  void apply(int p, const scantrans::Source<Value>& from, const scantrans::Target<Value>& to) {
    const cudaStream_t s = this->stream();
    const scantrans::Pass one = pass(p);
    scantrans::count_kernel<>
        <<<stride_ / group, ScantransPolicy::count_threads, count_bytes(one), s>>>(one,
                                                                                   from.columns);
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = scan_storage_.bytes();
    scan_table(scan_storage_.data(), bytes, std::size_t{stride_} * one.digits());
    scatter_of(p)<<<tiles_, threads_, scatter_bytes(one), s>>>(
        one, AnyPointers(this->a().row_ptr), static_cast<unsigned>(this->a().rows), from, to);
    CUDA_CHECK_LAUNCH();
  }

  void write_pointers() {
    if (digits_.passes > 1) {
      std::size_t bytes = scan_storage_.bytes();
      scan_counts(scan_storage_.data(), bytes);
      return;
    }
    constexpr unsigned threads = 256;
    const auto cols = static_cast<unsigned>(this->a().cols);
    scantrans::pointers_kernel<<<ceil_div(cols + 1, threads), threads, 0, this->stream()>>>(
        pass(0), cols, this->col_ptr());
    CUDA_CHECK_LAUNCH();
  }

  void scan_table(void* storage, std::size_t& bytes, std::size_t cells) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, table_.data(), table_.data(), cells,
                                             this->stream()));
  }
  void scan_counts(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveScan(
        storage, bytes, column_counts_.data(), this->col_ptr(), cuda::std::plus<>{}, Offset{0},
        static_cast<std::int64_t>(column_counts_.size()), this->stream()));
  }

  unsigned threads_, tile_, tiles_, stride_;
  ColumnDigits digits_;
  DeviceBuffer<unsigned> table_;          // [digits][stride]
  DeviceBuffer<unsigned> columns_[2];     // [nnz] source and target of a pass
  DeviceBuffer<unsigned> rows_;           // [nnz]
  DeviceBuffer<Value> between_;           // [nnz] values
  DeviceBuffer<unsigned> column_counts_;  // [cols + 1]
  DeviceBuffer<char> scan_storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

/// "" or, if the tile of a block exceeds the shared memory of the device, a message that says so.
std::string scantrans_memory_refusal(const TransposeProblem& problem, const Params& params) {
  const std::size_t bytes = std::visit(
      [](const auto& a) { return value_bytes<typename std::decay_t<decltype(a)>::value_type>; },
      problem.matrix());
  const std::int64_t threads = params.integer("block_size");
  return shared_memory_refusal(ScantransPolicy::most_shared_bytes(threads, bytes),
                               "tiles of " + std::to_string(threads) + " threads");
}

}  // namespace

Algorithm<TransposeProblem> transpose_cuda_scantrans() {
  return {
      .name = "cuda_scantrans",
      .summary = "histograms of slices by digits of the column, scanned",
      .source = "Wang et al., ICS'16, ScanTrans; transposition seed III-B",
      .backend = Backend::cuda,
      .parameters = {{"block_size",
                      std::int64_t{512},
                      {std::int64_t{128}, std::int64_t{256}, std::int64_t{512}, std::int64_t{1024}},
                      "threads per block"}},
      .unavailable = [] { return cuda_unavailable(); },
      .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
        const std::string reason = entries_refusal(problem, params);
        return reason.empty() ? scantrans_memory_refusal(problem, params) : reason;
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_transpose<CudaScantrans>
#endif
  };
}

}  // namespace sparserepro
