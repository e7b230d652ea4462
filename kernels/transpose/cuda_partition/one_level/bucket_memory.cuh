// What the bucket pass of cuda_partition reads, writes, and holds in shared memory.
#pragma once

#include "transpose/cuda_partition/one_level/split.cuh"

namespace sparserepro::partition {

template <class Value>
struct BucketOutput {
  AnyPointers col_ptr;
  unsigned* row_idx;
  Value* values;
};

/// Shared memory of a block: counters and the marks of the runs, later the staged rows and values;
/// where the entries of each column go, and where they begin.
template <class Value, int threads>
constexpr __host__ __device__ std::size_t bucket_region_bytes(unsigned width) {
  constexpr std::size_t tile = tile_of<Value, threads>;
  const std::size_t ranked = counter_bytes<threads>(width) + tile * sizeof(unsigned);
  const std::size_t staged = (tile + 4) * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value)));
  return (ranked > staged ? ranked : staged) / 16 * 16 + 16;
}
template <class Value, int threads>
constexpr std::size_t bucket_shared_bytes(unsigned width) {
  return bucket_region_bytes<Value, threads>(width) + width * sizeof(unsigned) +
         (width + 1) * sizeof(std::uint16_t);
}

/// What stands between the passes.
template <class Value>
struct BucketInput {
  SplitTiles<Value> tiles;
  RunTable table;
  ColumnBuckets buckets;
  unsigned cols;
  int group_bits;
};

}  // namespace sparserepro::partition
