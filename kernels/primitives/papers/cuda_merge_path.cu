// Merge by Merge Path: each block writes an equal tile of the output, and each thread an equal part
// of the tile. Element d of a merged pair comes after a elements of the left segment and d - a of
// the right; a binary search along diagonal d finds a.
//
//   1. one thread for each block finds where the block's tile begins in the left segment
//   2. the block copies its elements of both segments to shared memory; each thread searches its
//      own diagonal there and merges `merge_items` elements in registers; the block stores the
//      merged tile coalesced
//
// Where a pair is shorter than a tile, a block merges whole pairs and step 1 is left out.
// Source: Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path - parallel merging made simple",
// IPDPS workshops 2012; Green, McColl, Bader, "GPU Merge Path", ICS'12; proposed in section VIII of
// the transposition seed.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/merge_search.cuh"

namespace sparserepro {
namespace {

/// Elements that a thread merges. An odd number spreads the threads of a warp over all banks.
constexpr unsigned merge_items = 15;

/// Division of the output [length] into `count` tiles of at most `tile` elements. A pair is divided
/// into `tiles_per_pair` tiles; with tiles_per_pair == 1, a tile consists of whole pairs.
struct MergeTiles {
  std::int64_t segment, length;
  unsigned tile;
  std::int64_t tiles_per_pair, count;

  MergeTiles(std::int64_t array_segment, std::int64_t array_length, unsigned most)
      : segment(std::min(array_segment, std::max<std::int64_t>(array_length, 1))),
        length(array_length) {
    const std::int64_t pair = 2 * segment;
    if (pair <= most) {
      tile = static_cast<unsigned>(most / pair * pair);
      tiles_per_pair = 1;
      count = ceil_div<std::int64_t>(length, tile);
    } else {
      tile = most;
      tiles_per_pair = ceil_div<std::int64_t>(pair, tile);
      const std::int64_t rest = length % pair;
      count = length / pair * tiles_per_pair + ceil_div<std::int64_t>(rest, tile);
    }
  }
  __host__ __device__ bool whole_pairs() const { return tiles_per_pair == 1; }
};

/// from_left[t] = elements of the left segment that precede tile t in its merged pair; [count].
__global__ void find_diagonals_kernel(const index_t* keys, MergeTiles tiles,
                                      std::uint32_t* from_left) {
  const std::int64_t t = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t < tiles.count) {
    const auto pair = device::Pair::at(t / tiles.tiles_per_pair, tiles.segment, tiles.length);
    from_left[t] = static_cast<std::uint32_t>(
        device::merge_path(keys + pair.left, pair.right - pair.left, keys + pair.right,
                           pair.end - pair.right, t % tiles.tiles_per_pair * tiles.tile));
  }
}

/// Merges elements [threadIdx.x * merge_items, (threadIdx.x + 1) * merge_items) of the tile's
/// output into registers. `key`, `payload` [count] are the tile in shared memory: pairs of `span`
/// elements each, of which the first `left` are the left segment.
__device__ void merge_shared(const index_t* key, const std::uint32_t* payload, unsigned count,
                             unsigned span, unsigned left, index_t (&keys)[merge_items],
                             std::uint32_t (&carried)[merge_items]) {
  unsigned place = threadIdx.x * merge_items;
  if (place >= count) {
    return;
  }
  unsigned begin = place / span * span;
  unsigned right = min(begin + left, count), end = min(begin + span, count);
  unsigned a = begin + device::merge_path(key + begin, right - begin, key + right, end - right,
                                          place - begin);
  unsigned b = right + (place - begin) - (a - begin);
#pragma unroll
  for (unsigned k = 0; k < merge_items; ++k, ++place) {
    if (place == end && place < count) {
      begin = end;
      a = begin;
      b = right = min(begin + left, count);
      end = min(begin + span, count);
    }
    if (place < count) {
      const bool take_left = a < right && (b == end || key[a] <= key[b]);
      const unsigned from = take_left ? a++ : b++;
      keys[k] = key[from];
      carried[k] = payload[from];
    }
  }
}

__global__ void merge_tiles_kernel(const index_t* keys, const std::uint32_t* payload,
                                   MergeTiles tiles, const std::uint32_t* from_left,
                                   index_t* out_keys, std::uint32_t* out_payload) {
  extern __shared__ index_t key[];
  auto* const carried = reinterpret_cast<std::uint32_t*>(key + blockDim.x * merge_items);
  std::int64_t begin = std::int64_t{blockIdx.x} * tiles.tile;
  std::int64_t left_begin = begin, right_begin = begin;
  auto count = static_cast<unsigned>(min(std::int64_t{tiles.tile}, tiles.length - begin));
  unsigned span = static_cast<unsigned>(2 * tiles.segment), left = span / 2, from = count;
  if (!tiles.whole_pairs()) {
    const std::int64_t number = blockIdx.x / tiles.tiles_per_pair;
    const std::int64_t in_pair = blockIdx.x % tiles.tiles_per_pair * tiles.tile;
    const auto pair = device::Pair::at(number, tiles.segment, tiles.length);
    begin = pair.left + in_pair;
    count = static_cast<unsigned>(min(std::int64_t{tiles.tile}, pair.end - begin));
    const std::int64_t a = from_left[blockIdx.x];
    const std::int64_t a_end =
        begin + count == pair.end ? pair.right - pair.left : from_left[blockIdx.x + 1];
    left_begin = pair.left + a;
    left = from = static_cast<unsigned>(a_end - a);
    right_begin = pair.right + (in_pair - a) - from;
    span = count;
  }
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const std::int64_t at = (i < from ? left_begin : right_begin) + i;
    key[i] = keys[at];
    carried[i] = payload[at];
  }
  __syncthreads();
  index_t own_keys[merge_items];
  std::uint32_t own_payload[merge_items];
  merge_shared(key, carried, count, span, left, own_keys, own_payload);
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < merge_items; ++k) {
    const unsigned place = threadIdx.x * merge_items + k;
    if (place < count) {
      key[place] = own_keys[k];
      carried[place] = own_payload[k];
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    out_keys[begin + i] = key[i];
    out_payload[begin + i] = carried[i];
  }
}

class CudaMergePath final : public CudaPrimitiveRun {
 public:
  CudaMergePath(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem),
        block_size_(static_cast<unsigned>(params.integer("block_size"))),
        tiles_(problem.segment(), problem.length(), block_size_ * merge_items),
        from_left_(tiles_.whole_pairs() ? 0 : static_cast<std::size_t>(tiles_.count), stream()) {
    allow_all_shared(merge_tiles_kernel);
  }

  void execute() override {
    if (length() == 0) {
      return;
    }
    const auto blocks = static_cast<unsigned>(tiles_.count);
    if (!tiles_.whole_pairs()) {
      constexpr unsigned threads = 128;
      find_diagonals_kernel<<<ceil_div(blocks, threads), threads, 0, stream()>>>(values(), tiles_,
                                                                                 from_left_.data());
      CUDA_CHECK_LAUNCH();
    }
    merge_tiles_kernel<<<blocks, block_size_, shared_bytes(), stream()>>>(
        values(), payload(), tiles_, from_left_.data(), out_keys(), out_payload());
    CUDA_CHECK_LAUNCH();
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(from_left_.bytes());
  }

 private:
  std::size_t shared_bytes() const {
    return 2 * std::size_t{block_size_} * merge_items * sizeof(index_t);
  }

  unsigned block_size_;
  MergeTiles tiles_;
  DeviceBuffer<std::uint32_t> from_left_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_merge_path() {
  return {.name = "cuda_merge_path",
          .summary = "Merge Path: equal parts of the output for blocks and threads",
          .source = "Odeh et al., IPDPSW 2012; transposition seed VIII",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(256)},
          .applies = solves(Procedure::merge),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem&,
                        const Params& params) { return block_size_refusal(params); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaMergePath, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
