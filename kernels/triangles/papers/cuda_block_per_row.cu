// triangles = 1/3 sum over rows i and neighbours k > i of |N(i) o N(k)|: one block a row i, one
// thread a neighbour k, which merges the rows of i and k in global memory.
//
// Source: Algorithms 7 and 8 of the triangle seed. Corrected: as printed, the kernel adds a
// variable that was never assigned, and the sum is an int, which overflows above 715,827,882
// triangles. The seed fixes the block at 32 threads; an SM of an H200 holds 32 blocks and 2048
// threads, of which such blocks use half, so that block_size is a parameter.
//
// With `atomics` = edge, as printed, each thread adds its matches to the global sum; with row, the
// block adds them up first. H200, blocks of 32, edge and row: mesh of 2^20 vertices 2.33 and 0.79
// ms, R-MAT 16 57.6 and 57.3 ms.
#include "cuda/device_info.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/papers/cuda_row_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "triangles/cuda_run.cuh"
#include "triangles/cuda_sum.cuh"
#include "triangles/papers/cuda_compare_blocks.cuh"

namespace sparserepro {
namespace {

template <class Offset, bool atomic_per_edge>
__global__ void count_row(DeviceGraph<Offset> graph, std::uint64_t* sum) {
  const auto i = static_cast<index_t>(blockIdx.x);
  const Offset begin = graph.row_ptr[i], end = graph.row_ptr[i + 1];
  const index_t* const row = graph.col_idx + begin;
  const index_t* const row_end = graph.col_idx + end;
  std::uint64_t found = 0;
  for (Offset j = begin + threadIdx.x; j < end; j += blockDim.x) {
    const index_t k = graph.col_idx[j];
    if (k > i) {
      const index_t matches = compare_blocks_on_device(
          row, row_end, graph.col_idx + graph.row_ptr[k], graph.col_idx + graph.row_ptr[k + 1]);
      if constexpr (atomic_per_edge) {
        atomic_add(sum, matches);
      } else {
        found += matches;
      }
    }
  }
  if constexpr (!atomic_per_edge) {
    add_block_sum(sum, found);
  }
}

template <class Offset>
class CudaBlockPerRow final : public CudaTrianglesRun<Offset> {
 public:
  CudaBlockPerRow(const TrianglesProblem& problem, const Params& params)
      : CudaTrianglesRun<Offset>(problem, 3),
        block_size_(static_cast<unsigned>(params.integer("block_size"))),
        kernel_(params.text("atomics") == "edge" ? count_row<Offset, true>
                                                 : count_row<Offset, false>) {}

  void execute() override {
    this->clear_sum();
    if (const auto graph = this->graph(); graph.vertices > 0) {
      kernel_<<<static_cast<unsigned>(graph.vertices), block_size_, 0, this->stream()>>>(
          graph, this->sum());
      CUDA_CHECK_LAUNCH();
    }
  }

 private:
  unsigned block_size_;
  void (*kernel_)(DeviceGraph<Offset>, std::uint64_t*);
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_cuda_block_per_row() {
  return {.name = "cuda_block_per_row",
          .summary = "a block per row, a thread per later neighbour, merges, sum / 3",
          .source = "triangle seed, Algorithms 7 and 8 (corrected)",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(), atomics_parameter()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_triangles<CudaBlockPerRow>
#endif
  };
}

}  // namespace sparserepro
