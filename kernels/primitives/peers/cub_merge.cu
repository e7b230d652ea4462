// Merge of pairs with CUB. DeviceMerge merges two arrays; one call merges all pairs. The first
// array consists of all left segments, the second of all right ones, and the key of an element is
// (number of its pair, key), which an iterator computes on reading. On a tie DeviceMerge takes the
// first array. The number of the pair is a quotient by the length of a segment; lengths fit 32
// bits, so one multiplication gives it (fast_division.hpp).
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_merge.cuh>

#include "cuda/peers/cub_iterators.cuh"
#include "primitives/cuda_run.cuh"
#include "primitives/peers/fast_division.hpp"

namespace sparserepro {
namespace {

/// Position in the array, and pair, of element i of all left (or all right) segments in a row.
struct HalfPosition {
  FastDivisor segment;
  std::uint32_t begin;  // of the segment in its pair: 0 for a left one, `segment` for a right one

  __device__ std::uint32_t pair(std::uint32_t i) const { return segment.quotient(i); }
  /// 2 pair segment + begin + (i - pair segment)
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    return i + pair(i) * segment.divisor() + begin;
  }
};

struct HalfKey {
  const index_t* __restrict__ keys;
  HalfPosition position;

  __device__ std::uint64_t operator()(std::uint32_t i) const {
    return static_cast<std::uint64_t>(position.pair(i)) << 32 |
           static_cast<std::uint32_t>(keys[position(i)]);
  }
};

struct HalfPayload {
  const std::uint32_t* __restrict__ payload;
  HalfPosition position;

  __device__ std::uint32_t operator()(std::uint32_t i) const { return payload[position(i)]; }
};

struct KeyOf {
  __device__ index_t operator()(std::uint64_t key) const {
    return static_cast<index_t>(static_cast<std::uint32_t>(key));
  }
};

class CubMerge final : public CudaPrimitiveRun {
 public:
  CubMerge(const PrimitivesProblem& problem, const Params&) : CudaPrimitiveRun(problem) {
    const std::int64_t pair = 2 * segment();
    left_ = length() / pair * segment() + std::min(length() % pair, segment());
    std::size_t bytes = 0;
    merge(nullptr, bytes);
    storage_ = DeviceBuffer<char>(bytes, stream());
  }

  void execute() override {
    if (length() > 0) {
      std::size_t bytes = storage_.bytes();
      merge(storage_.data(), bytes);
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(storage_.bytes());
  }

 private:
  template <class Function>
  static auto iterator(Function function) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), function);
  }

  void merge(void* storage, std::size_t& bytes) {
    // A segment longer than the array is one segment; the divisor must fit 32 bits.
    const auto length_of_segment =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(segment(), 1, length() + 1));
    const HalfPosition left{FastDivisor(length_of_segment), 0};
    const HalfPosition right{FastDivisor(length_of_segment), length_of_segment};
    CUDA_CHECK(cub::DeviceMerge::MergePairs(
        storage, bytes, iterator(HalfKey{values(), left}), iterator(HalfPayload{payload(), left}),
        static_cast<std::int32_t>(left_), iterator(HalfKey{values(), right}),
        iterator(HalfPayload{payload(), right}), static_cast<std::int32_t>(length() - left_),
        transform_output(out_keys(), KeyOf{}), out_payload(), cuda::std::less<>{}, stream()));
  }

  std::int64_t left_ = 0;  // elements of all left segments
  DeviceBuffer<char> storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_merge() {
  return {.name = "cub_merge",
          .summary = "CUB's merge of all pairs in one call",
          .source = cub_version() + ", DeviceMerge::MergePairs",
          .backend = Backend::cuda,
          .peer = true,
          .applies = solves(Procedure::merge),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CubMerge, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
