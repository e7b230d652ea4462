// Transposition as a stable radix sort of the entries by column, with CUB.
//
//   rows      the first entry of each non-empty row is marked with the row; a scan by maximum
//             copies the mark to the other entries. The time does not depend on row lengths.
//   sort      by the ceil(log2 cols) low bits of the columns, with one of these payloads:
//     fused         (row, value): 4 bytes for a pattern, 8 in fp32, 16 in fp64, 4 of them padding
//     packed        (row, value) in fp64 without padding, 12 bytes
//     row_position  (row, position), 8 bytes; fp64 values are gathered by position after the sort
//     gather        position, 4 bytes; rows and values are gathered after the sort
//   pointers  from the sorted columns, by one of these methods:
//     scan          the last entry of each column marks its end; a scan by maximum fills the gaps
//     search        a lower bound for each column
//
// The scan writes the payload by an output iterator, so that rows are not stored in between. The
// marks lie in the memory of the sorted columns. Temporary storage and the positions 0, 1, ... are
// made before the clock starts. Counts below 2^32 are passed as 32-bit numbers, with which the
// library then computes. cub::DoubleBuffer is not used: it would overwrite the columns of A.
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "transpose/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "cuda/peers/cub_iterators.cuh"
#include "transpose/cuda_run.cuh"
#include "transpose/peers/cub_radix_sort_kernels.cuh"

namespace sparserepro {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>(ceil_div<std::int64_t>(items, threads));
}

struct ColumnBefore {
  __device__ bool operator()(index_t column, std::uint32_t bound) const {
    return static_cast<std::uint32_t>(column) < bound;
  }
};

/// Sorts with payload `Carried`; std::uint32_t is a position.
template <class Offset, class Value, class Carried>
class CubRadixSort final : public CudaTransposeRun<Offset, Value> {
 public:
  CubRadixSort(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        search_(params.text("pointers") == "search"),
        key_bits_(std::max(1, bits_below(static_cast<std::uint64_t>(a.cols)))) {
    const std::size_t nnz = a.col_idx.size();
    const cudaStream_t s = this->stream();
    keys_ = DeviceBuffer<index_t>(nnz, s);
    in_ = DeviceBuffer<Carried>(nnz, s);
    out_ = DeviceBuffer<Carried>(is_answer ? 0 : nnz, s);
    if constexpr (is_position) {
      rows_ = DeviceBuffer<index_t>(nnz, s);
      if (nnz > 0) {
        cub_sort::fill_positions<<<blocks_for(this->a().nnz), threads, 0, s>>>(this->a().nnz,
                                                                               in_.data());
        CUDA_CHECK_LAUNCH();
      }
    }
    std::size_t rows_bytes = 0, sort_bytes = 0, pointers_bytes = 0;
    scan_rows(nullptr, rows_bytes);
    sort(nullptr, sort_bytes);
    scan_pointers(nullptr, pointers_bytes);
    storage_ = DeviceBuffer<char>(std::max({rows_bytes, sort_bytes, pointers_bytes}), s);
  }

  void execute() override {
    const auto in = this->a();
    if (in.nnz == 0) {
      this->write_empty();
      return;
    }
    const cudaStream_t s = this->stream();
    marks().fill_bytes(0, s);
    cub_sort::mark_rows<<<blocks_for(in.rows), threads, 0, s>>>(in.row_ptr, in.rows,
                                                                marks().data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    scan_rows(storage_.data(), bytes);
    bytes = storage_.bytes();
    sort(storage_.data(), bytes);
    take_apart();
    find_pointers();
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(keys_.bytes() + rows_.bytes() + in_.bytes() + out_.bytes() +
                                     storage_.bytes());
  }

 private:
  static constexpr bool is_position = std::is_same_v<Carried, std::uint32_t>;
  /// Whether the sorted payload is the answer: the rows of a pattern.
  static constexpr bool is_answer = !has_values<Value> && !is_position;

  /// Calls `call(n)`, with a 32-bit n if n < 2^32.
  template <class Call>
  static void with_count(Offset n, const Call& call) {
    if constexpr (sizeof(Offset) == 8) {
      if (n > std::int64_t{0xffffffff}) {
        call(n);
        return;
      }
    }
    call(static_cast<std::uint32_t>(n));
  }

  DeviceBuffer<index_t>& marks() { return is_position ? rows_ : keys_; }

  /// Writes the payload of the sort, or the rows in place if the payload is a position, from the
  /// marks.
  void scan_rows(void* storage, std::size_t& bytes) {
    const auto in = this->a();
    const auto scan = [&](auto output) {
      with_count(in.nnz, [&](auto count) {
        CUDA_CHECK(cub::DeviceScan::InclusiveScan(storage, bytes, marks().data(), output,
                                                  cuda::maximum<>{}, count, this->stream()));
      });
    };
    if constexpr (is_position) {
      scan(rows_.data());
    } else if constexpr (std::is_same_v<Carried, cub_sort::RowPosition>) {
      scan(tabulate_output(cub_sort::MakeRowPosition{in_.data()}));
    } else if constexpr (std::is_same_v<Carried, cub_sort::Packed>) {
      scan(tabulate_output(
          cub_sort::MakePacked{reinterpret_cast<const uint2*>(in.values), in_.data()}));
    } else {
      scan(tabulate_output(cub_sort::MakeFused<Value>{in.values, in_.data()}));
    }
  }

  void sort(void* storage, std::size_t& bytes) {
    const auto in = this->a();
    Carried* const out = is_answer ? reinterpret_cast<Carried*>(this->row_idx()) : out_.data();
    with_count(in.nnz, [&](auto count) {
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, in.col_idx, keys_.data(),
                                                 in_.data(), out, count, 0, key_bits_,
                                                 this->stream()));
    });
  }

  void take_apart() {
    using namespace cub_sort;
    const auto in = this->a();
    const auto launch = [&](auto take) {
      cub_sort::take_apart<<<blocks_for(in.nnz), threads, 0, this->stream()>>>(take, in.nnz);
      CUDA_CHECK_LAUNCH();
    };
    if constexpr (is_position) {
      launch(FromPosition<Value>{out_.data(), rows_.data(), in.values, this->row_idx(),
                                 this->values()});
    } else if constexpr (std::is_same_v<Carried, RowPosition>) {
      launch(FromRowPosition<Value>{out_.data(), in.values, this->row_idx(), this->values()});
    } else if constexpr (std::is_same_v<Carried, Packed>) {
      launch(FromPacked{out_.data(), this->row_idx(), reinterpret_cast<uint2*>(this->values())});
    } else if constexpr (has_values<Value>) {
      launch(FromFused<Value>{out_.data(), this->row_idx(), this->values()});
    }
  }

  void find_pointers() {
    const auto in = this->a();
    const cudaStream_t s = this->stream();
    if (search_) {
      const thrust::counting_iterator<std::uint32_t> first(0);
      thrust::lower_bound(thrust::cuda::par_nosync.on(s), keys_.data(), keys_.data() + in.nnz,
                          first, first + (std::int64_t{in.cols} + 1), this->col_ptr(),
                          ColumnBefore{});
      return;
    }
    this->write_empty();
    cub_sort::mark_columns<<<blocks_for(in.nnz), threads, 0, s>>>(keys_.data(), in.nnz,
                                                                  this->col_ptr());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    scan_pointers(storage_.data(), bytes);
  }
  void scan_pointers(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::InclusiveScan(
        storage, bytes, this->col_ptr(), this->col_ptr(), cuda::maximum<>{},
        static_cast<std::uint32_t>(this->a().cols) + 1U, this->stream()));
  }

  bool search_;
  int key_bits_;
  DeviceBuffer<index_t> keys_;      // [nnz] marks, then sorted columns
  DeviceBuffer<index_t> rows_;      // [nnz] marks, then rows; only if the payload is a position
  DeviceBuffer<Carried> in_, out_;  // [nnz]
  DeviceBuffer<char> storage_;      // of CUB
};

template <class Offset, class Value>
std::unique_ptr<Run<TransposeProblem>> make_sort(const Csr<Offset, Value>& a,
                                                 const Params& params) {
  const std::string& payload = params.text("payload");
  if (payload == "gather") {
    return std::make_unique<CubRadixSort<Offset, Value, std::uint32_t>>(a, params);
  }
  if constexpr (std::is_same_v<Value, double>) {
    if (payload == "packed") {
      return std::make_unique<CubRadixSort<Offset, Value, cub_sort::Packed>>(a, params);
    }
    if (payload == "row_position") {
      return std::make_unique<CubRadixSort<Offset, Value, cub_sort::RowPosition>>(a, params);
    }
  }
  return std::make_unique<CubRadixSort<Offset, Value, cub_sort::Fused<Value>>>(a, params);
}

std::unique_ptr<Run<TransposeProblem>> prepare(const TransposeProblem& problem,
                                               const Params& params) {
  return std::visit([&](const auto& a) { return make_sort(a, params); }, problem.matrix());
}

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

std::string payload_refusal(const TransposeProblem& problem, const Params& params) {
  const std::string& payload = params.text("payload");
  const bool fp64 = std::visit(
      [](const auto& a) {
        return std::is_same_v<typename std::decay_t<decltype(a)>::value_type, double>;
      },
      problem.matrix());
  if (!fp64 && (payload == "packed" || payload == "row_position")) {
    return "payload " + payload + " is for fp64; fused is as small without it";
  }
  return (payload == "gather" || payload == "row_position") &&
                 problem.shape().stored > std::int64_t{0xffffffff}
             ? "positions have 32 bits"
             : "";
}

}  // namespace

Algorithm<TransposeProblem> transpose_cub_radix_sort() {
  return {
      .name = "cub_radix_sort",
      .summary = "stable radix sort of the entries by column",
      .source = cub_version() + ", DeviceScan, DeviceRadixSort::SortPairs",
      .backend = Backend::cuda,
      .peer = true,
      .parameters = {{"payload",
                      "fused",
                      {"fused", "packed", "row_position", "gather"},
                      "what is sorted with each column index: row and value together (fused, "
                      "packed), row and position (row_position), or position (gather)"},
                     {"pointers",
                      "scan",
                      {"scan", "search"},
                      "how the column pointers follow from the sorted columns: by a scan, or by "
                      "binary search"}},
      .unavailable = [] { return cuda_unavailable(); },
      .refusal = payload_refusal,
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare
#endif
  };
}

}  // namespace sparserepro
