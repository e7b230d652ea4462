// Index to pointers with CUB: a histogram of all bins and one more, which stays empty, then a scan.
#include "cuda/device_info.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/cub_version.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>

#include "primitives/cuda_primitive_run.cuh"

namespace sparserepro {
namespace {

class CubIndexToPointers final : public CudaPrimitiveRun {
 public:
  CubIndexToPointers(const PrimitivesProblem& problem, const Params&)
      : CudaPrimitiveRun(problem), counts_(static_cast<std::size_t>(bins()) + 1, stream()) {
    std::size_t histogram_bytes = 0, scan_bytes = 0;
    histogram(nullptr, histogram_bytes);
    scan(nullptr, scan_bytes);
    storage_ = DeviceBuffer<char>(std::max(histogram_bytes, scan_bytes), stream());
  }

  void execute() override {
    counts_.fill_bytes(0, stream());
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
                                             std::int64_t{bins()} + 1, stream()));
  }

  DeviceBuffer<std::uint32_t> counts_;  // [bins + 1]
  DeviceBuffer<char> storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_index_to_pointers() {
  return {.name = "cub_index_to_pointers",
          .summary = "CUB's histogram and scan",
          .source = cub_version() + ", DeviceHistogram::HistogramEven, DeviceScan::ExclusiveSum",
          .backend = Backend::cuda,
          .peer = true,
          .applies = solves(Procedure::index_to_pointers),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CubIndexToPointers, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
