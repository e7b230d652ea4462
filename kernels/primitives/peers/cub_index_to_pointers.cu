// Index to pointers with CUB. The indices are in no order; parameter `method` says what is done
// with them first:
//
//   histogram  DeviceHistogram over bins + 1 bins, the last of which stays empty, then DeviceScan.
//              Where the bins exceed shared memory, CUB counts with atomics in global memory.
//   sort       DeviceRadixSort of the ceil(log2 bins) low bits, then Thrust's lower bound of each
//              bin in the sorted indices. Its time does not depend on the distribution of indices.
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <bit>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "primitives/cuda_run.cuh"

namespace sparserepro {
namespace {

class CubHistogram final : public CudaPrimitiveRun {
 public:
  CubHistogram(const PrimitivesProblem& problem, const Params&)
      : CudaPrimitiveRun(problem), counts_(static_cast<std::size_t>(bins()) + 1, stream()) {
    counts_.fill_bytes(0, stream());  // CUB writes counts [0, bins), not counts [bins]
    std::size_t histogram_bytes = 0, scan_bytes = 0;
    histogram(nullptr, histogram_bytes);
    scan(nullptr, scan_bytes);
    storage_ = DeviceBuffer<char>(std::max(histogram_bytes, scan_bytes), stream());
  }

  void execute() override {
    std::size_t bytes = storage_.bytes();
    if (length() > 0) {
      histogram(storage_.data(), bytes);
    }
    scan(storage_.data(), bytes);
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(counts_.bytes() + storage_.bytes());
  }

 private:
  void histogram(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceHistogram::HistogramEven(storage, bytes, values(), counts_.data(),
                                                   bins() + 1, index_t{0}, bins(),
                                                   static_cast<int>(length()), stream()));
  }
  void scan(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, counts_.data(), out_pointers(),
                                             static_cast<std::int32_t>(bins() + 1), stream()));
  }

  DeviceBuffer<std::uint32_t> counts_;  // [bins + 1]
  DeviceBuffer<char> storage_;
};

struct IndexBefore {
  __device__ bool operator()(std::uint32_t index, std::uint32_t bin) const { return index < bin; }
};

class CubSort final : public CudaPrimitiveRun {
 public:
  CubSort(const PrimitivesProblem& problem, const Params&)
      : CudaPrimitiveRun(problem),
        bits_(
            std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(bins() - 1))))),
        sorted_(static_cast<std::size_t>(length()), stream()) {
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    storage_ = DeviceBuffer<char>(bytes, stream());
  }

  void execute() override {
    if (length() > 0) {
      std::size_t bytes = storage_.bytes();
      sort(storage_.data(), bytes);
    }
    const thrust::counting_iterator<std::uint32_t> first(0);
    thrust::lower_bound(thrust::cuda::par_nosync.on(stream()), sorted_.data(),
                        sorted_.data() + length(), first, first + (std::int64_t{bins()} + 1),
                        out_pointers(), IndexBefore{});
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(sorted_.bytes() + storage_.bytes());
  }

 private:
  void sort(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceRadixSort::SortKeys(storage, bytes, as_unsigned(values()), sorted_.data(),
                                              static_cast<std::int32_t>(length()), 0, bits_,
                                              stream()));
  }

  int bits_;
  DeviceBuffer<std::uint32_t> sorted_;  // [length]
  DeviceBuffer<char> storage_;
};

std::unique_ptr<Run<PrimitivesProblem>> prepare(const PrimitivesProblem& problem,
                                                const Params& params) {
  if (params.text("method") == "sort") {
    return std::make_unique<CubSort>(problem, params);
  }
  return std::make_unique<CubHistogram>(problem, params);
}

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_index_to_pointers() {
  return {.name = "cub_index_to_pointers",
          .summary = "CUB's histogram and scan, or its sort and Thrust's search",
          .source = cub_version() + ", DeviceHistogram and DeviceScan, or DeviceRadixSort",
          .backend = Backend::cuda,
          .peer = true,
          .parameters =
              {{"method", "histogram", {"histogram", "sort"}, "functions of CUB that are called"}},
          .applies = solves(Procedure::index_to_pointers),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare
#endif
  };
}

}  // namespace sparserepro
