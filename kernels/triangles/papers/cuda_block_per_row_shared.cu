// As cuda_block_per_row, with row i in shared memory, tile by tile:
//
//   |N(i) o N(k)| = sum over tiles t of N(i) of |t o N(k)|,   k > i
//
// A tile has as many numbers as shared memory allows without reducing the number of resident
// blocks. For the tiles after the first, a binary search in row k finds where the merge begins.
//
// Source: Algorithm 9 of the triangle seed. Corrected: as printed, it loses the last neighbour of
// the row and has a barrier in a loop that threads leave at different times; the seed's program
// writes past its array of 64 numbers if a row is longer.
#include "cuda/device_info.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/papers/cuda_row_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>

#include "triangles/cuda_run.cuh"
#include "triangles/cuda_sum.cuh"
#include "triangles/papers/cuda_compare_blocks.cuh"

namespace sparserepro {
namespace {

/// First element >= `value` of the ascending range [begin, end); `end` if there is none.
__device__ const index_t* lower_bound(const index_t* begin, const index_t* end, index_t value) {
  while (begin != end) {
    const index_t* const middle = begin + (end - begin) / 2;
    if (*middle < value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

template <class Offset, bool atomic_per_edge>
__global__ void count_row_shared(DeviceGraph<Offset> graph, int tile_capacity, std::uint64_t* sum) {
  extern __shared__ index_t tile[];
  const auto i = static_cast<index_t>(blockIdx.x);
  const Offset begin = graph.row_ptr[i], end = graph.row_ptr[i + 1];
  std::uint64_t found = 0;
  for (Offset first = begin; first < end; first += tile_capacity) {
    const auto length = static_cast<int>(min(end - first, static_cast<Offset>(tile_capacity)));
    for (int t = static_cast<int>(threadIdx.x); t < length; t += static_cast<int>(blockDim.x)) {
      tile[t] = graph.col_idx[first + t];
    }
    __syncthreads();
    for (Offset j = begin + threadIdx.x; j < end; j += blockDim.x) {
      const index_t k = graph.col_idx[j];
      if (k > i) {
        const index_t* other = graph.col_idx + graph.row_ptr[k];
        const index_t* const other_end = graph.col_idx + graph.row_ptr[k + 1];
        if (first != begin) {
          other = lower_bound(other, other_end, tile[0]);
        }
        const index_t matches = compare_blocks_on_device(tile, tile + length, other, other_end);
        if constexpr (atomic_per_edge) {
          atomic_add(sum, matches);
        } else {
          found += matches;
        }
      }
    }
    __syncthreads();
  }
  if constexpr (!atomic_per_edge) {
    add_block_sum(sum, found);
  }
}

/// Numbers of a tile: the share of a block in the shared memory of an SM that holds as many blocks
/// as its limits of threads and blocks allow, less the memory that the system reserves in each
/// block.
int largest_tile(unsigned block_size) {
  int threads = 0, blocks = 0, bytes = 0, reserved = 0, most = 0;
  const auto attribute = [](int& value, cudaDeviceAttr which) {
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  };
  attribute(threads, cudaDevAttrMaxThreadsPerMultiProcessor);
  attribute(blocks, cudaDevAttrMaxBlocksPerMultiprocessor);
  attribute(bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  attribute(reserved, cudaDevAttrReservedSharedMemoryPerBlock);
  attribute(most, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int resident = std::min(blocks, threads / static_cast<int>(block_size));
  constexpr int of_sum = 32 * sizeof(std::uint64_t);  // shared memory of add_block_sum
  return (std::min(bytes / resident - reserved, most) - of_sum) / int{sizeof(index_t)} / 32 * 32;
}

template <class Offset>
class CudaBlockPerRowShared final : public CudaTrianglesRun<Offset> {
 public:
  CudaBlockPerRowShared(const TrianglesProblem& problem, const Params& params)
      : CudaTrianglesRun<Offset>(problem, 3),
        block_size_(static_cast<unsigned>(params.integer("block_size"))),
        kernel_(params.text("atomics") == "edge" ? count_row_shared<Offset, true>
                                                 : count_row_shared<Offset, false>),
        tile_(static_cast<int>(
            std::clamp<std::int64_t>(problem.max_degree(), 1, largest_tile(block_size_)))) {
    allow_all_shared(kernel_);
  }

  void execute() override {
    this->clear_sum();
    if (const auto graph = this->graph(); graph.vertices > 0) {
      kernel_<<<static_cast<unsigned>(graph.vertices), block_size_, tile_ * sizeof(index_t),
                this->stream()>>>(graph, tile_, this->sum());
      CUDA_CHECK_LAUNCH();
    }
  }

  Measures measures() const override {
    Measures all = CudaTrianglesRun<Offset>::measures();
    all.emplace_back("tile", tile_);
    all.emplace_back("tiled_rows", static_cast<double>(rows_beyond_tile()));
    return all;
  }

 private:
  std::int64_t rows_beyond_tile() const {
    const Graph& graph = this->problem().graph();
    std::int64_t rows = 0;
    for (index_t v = 0; v < graph.vertices; ++v) {
      rows += graph.degree(v) > tile_;
    }
    return rows;
  }

  unsigned block_size_;
  void (*kernel_)(DeviceGraph<Offset>, int, std::uint64_t*);
  int tile_;  // numbers of a tile
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_cuda_block_per_row_shared() {
  return {.name = "cuda_block_per_row_shared",
          .summary = "a block per row, which is staged in shared memory, sum / 3",
          .source = "triangle seed, Algorithm 9 (corrected)",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(), atomics_parameter()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_triangles<CudaBlockPerRowShared>
#endif
  };
}

}  // namespace sparserepro
