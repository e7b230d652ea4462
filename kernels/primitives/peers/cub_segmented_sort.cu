// Segmented sort with CUB, by parameter `method`:
//
//   device       DeviceSegmentedSort; its segments may have any lengths
//   block_radix  BlockRadixSort, one segment a block, of at most `longest_block_segment` elements
//   block_merge  BlockMergeSort, one segment a block; WarpMergeSort for up to 128 elements
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {

/// Elements that the largest block of cub_block_sort.cuh sorts.
constexpr std::int64_t longest_block_segment = 8192;

}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_segmented_sort.cuh>

#include "primitives/cuda_run.cuh"
#include "primitives/peers/cub_block_sort.cuh"

namespace sparserepro {
namespace {

class CubDeviceSort final : public CudaPrimitiveRun {
 public:
  CubDeviceSort(const PrimitivesProblem& problem, const Params&) : CudaPrimitiveRun(problem) {
    std::vector<std::int32_t> offsets{0};
    for (std::int64_t end = 0; end < length();) {
      end = std::min(length(), end + segment());
      offsets.push_back(static_cast<std::int32_t>(end));
    }
    segments_ = static_cast<std::int64_t>(offsets.size()) - 1;
    offsets_ = DeviceBuffer<std::int32_t>(offsets, stream());
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
  DeviceBuffer<std::int32_t> offsets_;  // [segments + 1]
  DeviceBuffer<char> storage_;
};

template <bool radix>
class CubBlockSort final : public CudaPrimitiveRun {
 public:
  explicit CubBlockSort(const PrimitivesProblem& problem) : CudaPrimitiveRun(problem) {}

  void execute() override {
    if (length() > 0) {
      block_sort::sort_segments<radix>(
          {values(), payload(), out_keys(), out_payload(), length(), segment()}, stream());
    }
  }
  std::int64_t workspace_bytes() const override { return 0; }
};

std::unique_ptr<Run<PrimitivesProblem>> prepare(const PrimitivesProblem& problem,
                                                const Params& params) {
  const std::string& method = params.text("method");
  if (method == "block_radix") {
    return std::make_unique<CubBlockSort<true>>(problem);
  }
  if (method == "block_merge") {
    return std::make_unique<CubBlockSort<false>>(problem);
  }
  return std::make_unique<CubDeviceSort>(problem, params);
}

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_segmented_sort() {
  return {.name = "cub_segmented_sort",
          .summary = "CUB's segmented sort, or its sort within a block",
          .source = cub_version() + ", DeviceSegmentedSort, BlockRadixSort or BlockMergeSort",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {{"method",
                          "device",
                          {"device", "block_radix", "block_merge"},
                          "functions of CUB that are called"}},
          .applies = solves(Procedure::segmented_sort),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem& problem, const Params& params) -> std::string {
            return params.text("method") == "device" || problem.segment() <= longest_block_segment
                       ? ""
                       : "a block sorts up to " + std::to_string(longest_block_segment) +
                             " elements, not " + std::to_string(problem.segment());
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare
#endif
  };
}

}  // namespace sparserepro
