// Segmented sort with CUB.
#include "cuda/device_info.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/cub_version.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_segmented_sort.cuh>

#include "primitives/cuda_primitive_run.cuh"

namespace sparserepro {
namespace {

class CubSegmentedSort final : public CudaPrimitiveRun {
 public:
  CubSegmentedSort(const PrimitivesProblem& problem, const Params&) : CudaPrimitiveRun(problem) {
    std::vector<std::int64_t> offsets{0};
    while (offsets.back() < length()) {
      offsets.push_back(std::min(length(), offsets.back() + segment()));
    }
    segments_ = static_cast<std::int64_t>(offsets.size()) - 1;
    offsets_ = DeviceBuffer<std::int64_t>(offsets, stream());
    synchronize();
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    storage_ = DeviceBuffer<char>(bytes, stream());
  }

  void execute() override {
    if (length() > 0) {
      std::size_t bytes = storage_.bytes();
      sort(storage_.data(), bytes);
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(offsets_.bytes() + storage_.bytes());
  }

 private:
  void sort(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceSegmentedSort::StableSortPairs(
        storage, bytes, values(), out_keys(), payload(), out_payload(), length(), segments_,
        offsets_.data(), offsets_.data() + 1, stream()));
  }

  std::int64_t segments_ = 0;
  DeviceBuffer<std::int64_t> offsets_;  // [segments + 1]
  DeviceBuffer<char> storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_segmented_sort() {
  return {.name = "cub_segmented_sort",
          .summary = "CUB's segmented sort",
          .source = cub_version() + ", DeviceSegmentedSort::StableSortPairs",
          .backend = Backend::cuda,
          .peer = true,
          .applies = solves(Procedure::segmented_sort),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CubSegmentedSort, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
