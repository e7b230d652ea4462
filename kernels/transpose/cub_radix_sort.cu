// Transposition as a stable radix sort of the entries by column, with CUB.
//
//   payload "fused":  the sort carries (row, value) of each entry
//   payload "gather": the sort carries the entry's position; rows and values are gathered after it
//
// Only the ceil(log2 cols) low bits of the column are sorted. Rows are expanded from the row
// pointers first; column pointers are the boundaries between the sorted columns.
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include "transpose/cuda_transpose_run.cuh"

namespace sparserepro {
namespace {

constexpr int sort_threads = 256;

/// What the fused sort carries; 4 bytes per entry of a pattern, else 8 or 16.
template <class Value>
struct SortPayload {
  index_t row;
  Value value;
};
template <>
struct SortPayload<Pattern> {
  index_t row;
};

/// Row, and value or position, of each entry: a warp per row.
template <class Offset, class Value, bool fused>
__global__ void expand_rows(CsrView<Offset, Value> a, SortPayload<Value>* payload, index_t* rows,
                            Offset* positions) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * blockDim.x / warpSize;
  for (std::int64_t i =
           (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / warpSize;
       i < a.rows; i += warps) {
    for (Offset p = a.row_ptr[i] + threadIdx.x % warpSize; p < a.row_ptr[i + 1]; p += warpSize) {
      if constexpr (fused) {
        payload[p].row = static_cast<index_t>(i);
        if constexpr (has_values<Value>) {
          payload[p].value = a.values[p];
        }
      } else {
        rows[p] = static_cast<index_t>(i);
        positions[p] = p;
      }
    }
  }
}

template <class Offset>
__device__ Offset global_thread() {
  return static_cast<Offset>(static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
}

template <class Offset, class Value>
__global__ void unpack(const SortPayload<Value>* payload, Offset nnz, index_t* row_idx,
                       Value* values) {
  const auto i = global_thread<Offset>();
  if (i < nnz) {
    const SortPayload<Value> entry = payload[i];
    row_idx[i] = entry.row;
    values[i] = entry.value;
  }
}

template <class Offset, class Value>
__global__ void gather(const Offset* positions, const index_t* rows, const Value* from, Offset nnz,
                       index_t* row_idx, Value* values) {
  const auto i = global_thread<Offset>();
  if (i < nnz) {
    const Offset p = positions[i];
    row_idx[i] = rows[p];
    if constexpr (has_values<Value>) {
      values[i] = from[p];
    }
  }
}

/// col_ptr[c] = i for every column c in (keys[i-1], keys[i]], where keys[-1] = -1 and keys[nnz] =
/// cols. Adds nothing atomically, as a histogram would.
template <class Offset>
__global__ void find_pointers(const index_t* keys, Offset nnz, index_t cols, Offset* col_ptr) {
  const auto i = global_thread<std::int64_t>();
  if (i <= nnz) {
    const index_t before = i == 0 ? -1 : keys[i - 1];
    const index_t here = i == nnz ? cols : keys[i];
    for (index_t c = before; c < here; ++c) {
      col_ptr[c + 1] = static_cast<Offset>(i);
    }
  }
}

template <class Offset, class Value>
class CubRadixSort final : public CudaTransposeRun<Offset, Value> {
 public:
  CubRadixSort(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        fused_(params.text("payload") == "fused"),
        key_bits_(std::max(1, bits_below(static_cast<std::uint64_t>(a.cols)))) {
    const auto nnz = a.col_idx.size();
    const cudaStream_t s = this->stream();
    keys_ = DeviceBuffer<index_t>(nnz, s);
    if (fused_) {
      payload_in_ = DeviceBuffer<Payload>(nnz, s);
      payload_out_ = DeviceBuffer<Payload>(has_values<Value> ? nnz : 0, s);
    } else {
      rows_ = DeviceBuffer<index_t>(nnz, s);
      positions_in_ = DeviceBuffer<Offset>(nnz, s);
      positions_out_ = DeviceBuffer<Offset>(nnz, s);
    }
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    sort_storage_ = DeviceBuffer<char>(bytes, s);
  }

  void execute() override {
    const auto in = this->a();
    if (in.nnz == 0) {
      this->write_empty();
      return;
    }
    const cudaStream_t s = this->stream();
    const unsigned blocks = blocks_for(in.nnz);
    const unsigned row_blocks = blocks_for(std::int64_t{in.rows} * 32);
    if (fused_) {
      expand_rows<Offset, Value, true>
          <<<row_blocks, sort_threads, 0, s>>>(in, payload_in_.data(), nullptr, nullptr);
    } else {
      expand_rows<Offset, Value, false>
          <<<row_blocks, sort_threads, 0, s>>>(in, nullptr, rows_.data(), positions_in_.data());
    }
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = sort_storage_.bytes();
    sort(sort_storage_.data(), bytes);
    if (!fused_) {
      gather<<<blocks, sort_threads, 0, s>>>(positions_out_.data(), rows_.data(), in.values, in.nnz,
                                             this->row_idx(), this->values());
      CUDA_CHECK_LAUNCH();
    } else if constexpr (has_values<Value>) {
      unpack<<<blocks, sort_threads, 0, s>>>(payload_out_.data(), in.nnz, this->row_idx(),
                                             this->values());
      CUDA_CHECK_LAUNCH();
    }
    find_pointers<<<blocks_for(std::int64_t{in.nnz} + 1), sort_threads, 0, s>>>(
        keys_.data(), in.nnz, in.cols, this->col_ptr());
    CUDA_CHECK_LAUNCH();
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(keys_.bytes() + payload_in_.bytes() + payload_out_.bytes() +
                                     rows_.bytes() + positions_in_.bytes() +
                                     positions_out_.bytes() + sort_storage_.bytes());
  }

 private:
  using Payload = SortPayload<Value>;

  void sort(void* storage, std::size_t& bytes) {
    const auto in = this->a();
    if (fused_) {
      // The rows of a pattern are the answer already.
      Payload* const out =
          has_values<Value> ? payload_out_.data() : reinterpret_cast<Payload*>(this->row_idx());
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, in.col_idx, keys_.data(),
                                                 payload_in_.data(), out, in.nnz, 0, key_bits_,
                                                 this->stream()));
    } else {
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, in.col_idx, keys_.data(),
                                                 positions_in_.data(), positions_out_.data(),
                                                 in.nnz, 0, key_bits_, this->stream()));
    }
  }

  static unsigned blocks_for(std::int64_t threads) {
    return static_cast<unsigned>(ceil_div<std::int64_t>(threads, sort_threads));
  }

  bool fused_;
  int key_bits_;
  DeviceBuffer<index_t> keys_;                         // [nnz] sorted columns
  DeviceBuffer<Payload> payload_in_, payload_out_;     // [nnz] fused
  DeviceBuffer<index_t> rows_;                         // [nnz] gather
  DeviceBuffer<Offset> positions_in_, positions_out_;  // [nnz] gather
  DeviceBuffer<char> sort_storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cub_radix_sort() {
#ifdef SPARSEREPRO_HAS_CUDA
  const std::string version = " " + std::to_string(CUB_MAJOR_VERSION) + "." +
                              std::to_string(CUB_MINOR_VERSION) + "." +
                              std::to_string(CUB_SUBMINOR_VERSION);
#else
  const std::string version;
#endif
  return {.name = "cub_radix_sort",
          .summary = "stable radix sort of the entries by column",
          .source = "CUB" + version + ", DeviceRadixSort::SortPairs",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {{"payload",
                          "fused",
                          {"fused", "gather"},
                          "what the sort moves: (row, value), or positions to gather by"}},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_transpose<CubRadixSort>
#endif
  };
}

}  // namespace sparserepro
