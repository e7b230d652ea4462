// Kernels that do nothing but move memory: in order, or rows at random places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/check.hpp"
#include "cuda/launch.hpp"

namespace sparserepro::memory_probes {

constexpr unsigned block_threads = 256;
constexpr unsigned loads = 4;  ///< of 16 bytes that each thread has under way
constexpr std::size_t block_bytes = sizeof(int4) * block_threads * loads;

enum class Use { copy, copy_streamed, read, read_streamed };

inline __device__ int4 operator^(int4 a, int4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}
inline __device__ uint2 operator^(uint2 a, uint2 b) {
  return {a.x ^ b.x, a.y ^ b.y};
}
inline __device__ unsigned fold(int4 v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}
inline __device__ unsigned fold(uint2 v) {
  return v.x ^ v.y;
}

/// What the words of a probe's memory, each 0 or 0x01010101, never sum up to. A store under that
/// condition keeps the loads.
constexpr unsigned never = 0x5a5a5a5a;

/// One block for each block_bytes. Reads leave `to` as it is.
template <Use use>
__global__ void stream_through(const int4* __restrict__ from, int4* __restrict__ to) {
  const std::size_t first = std::size_t{blockIdx.x} * block_threads * loads + threadIdx.x;
  int4 v[loads];
#pragma unroll
  for (unsigned k = 0; k < loads; ++k) {
    const int4* const place = from + first + k * block_threads;
    v[k] = use == Use::copy_streamed || use == Use::read_streamed ? __ldcs(place) : *place;
  }
  if constexpr (use == Use::read || use == Use::read_streamed) {
    int4 sum = v[0];
#pragma unroll
    for (unsigned k = 1; k < loads; ++k) {
      sum = sum ^ v[k];
    }
    if (fold(sum) == never) {
      to[first] = sum;
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      int4* const place = to + first + k * block_threads;
      if constexpr (use == Use::copy_streamed) {
        __stcs(place, v[k]);
      } else {
        *place = v[k];
      }
    }
  }
}

constexpr std::int64_t max_row_bytes = 1024;  ///< four units of 8 bytes for each lane of a warp
constexpr unsigned rows_of_group = 32;        ///< rows that a group of lanes reads
constexpr unsigned units_under_way = 8;       ///< of each lane

/// A launch of gather_rows.
struct Gather {
  std::uint32_t rows;   ///< of the table
  unsigned units;       ///< of 16 or 8 bytes in a row
  unsigned unit_bytes;  ///< 16 where rows are a multiple of 16 bytes
  unsigned lanes;       ///< of a group, which reads one row at a time; a power of two up to 32
  std::uint32_t reads;  ///< rows read in all
};

inline Gather gather_of(std::int64_t rows, std::int64_t row_bytes, std::int64_t reads) {
  const unsigned unit = row_bytes % 16 == 0 ? 16 : 8;
  const auto units = static_cast<unsigned>(row_bytes / unit);
  unsigned lanes = 1;
  while (lanes < units && lanes < 32) {
    lanes *= 2;
  }
  const std::int64_t rows_of_block = block_threads / lanes * rows_of_group;
  return {static_cast<std::uint32_t>(rows), units, unit, lanes,
          static_cast<std::uint32_t>(ceil_div(reads, rows_of_block) * rows_of_block)};
}

/// The mixing of MurmurHash3 (Appleby 2011) on 32 bits.
inline __device__ std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ x >> 16;
}

/// Each group of lanes reads rows_of_group rows at random places; `steps` units a lane and row.
template <class Unit, unsigned steps>
__global__ void gather_rows(const Gather gather, const Unit* __restrict__ table, std::uint32_t seed,
                            Unit* sink) {
  constexpr unsigned batch = units_under_way / steps;
  const unsigned thread = blockIdx.x * block_threads + threadIdx.x;
  const unsigned lane = threadIdx.x & (gather.lanes - 1);
  const unsigned first = thread / gather.lanes * rows_of_group;
  Unit sum{};
  for (unsigned r = 0; r < rows_of_group; r += batch) {
    Unit v[batch][steps];
#pragma unroll
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t place = __umulhi(mixed(first + r + b + seed), gather.rows);
      const Unit* const row = table + std::size_t{place} * gather.units;
#pragma unroll
      for (unsigned s = 0; s < steps; ++s) {
        const unsigned unit = lane + s * gather.lanes;
        v[b][s] = unit < gather.units ? row[unit] : Unit{};
      }
    }
#pragma unroll
    for (unsigned b = 0; b < batch; ++b) {
#pragma unroll
      for (unsigned s = 0; s < steps; ++s) {
        sum = sum ^ v[b][s];
      }
    }
  }
  if (fold(sum) == never) {
    *sink = sum;
  }
}

/// Queues gather.reads reads of rows of `table`; other seeds read other rows.
inline void launch(const Gather& gather, int4* table, unsigned seed, cudaStream_t stream) {
  const unsigned blocks = gather.reads / (block_threads / gather.lanes * rows_of_group);
  const auto run = [&](auto unit, auto steps) {
    using Unit = decltype(unit);
    gather_rows<Unit, decltype(steps)::value>
        <<<blocks, block_threads, 0, stream>>>(gather, reinterpret_cast<const Unit*>(table),
                                               seed * gather.reads, reinterpret_cast<Unit*>(table));
    CUDA_CHECK_LAUNCH();
  };
  const auto with_steps = [&](auto unit) {
    const unsigned steps = ceil_div(gather.units, gather.lanes);
    if (steps == 1) {
      run(unit, std::integral_constant<unsigned, 1>{});
    } else if (steps == 2) {
      run(unit, std::integral_constant<unsigned, 2>{});
    } else {
      run(unit, std::integral_constant<unsigned, 4>{});
    }
  };
  if (gather.unit_bytes == 16) {
    with_steps(int4{});
  } else {
    with_steps(uint2{});
  }
}

}  // namespace sparserepro::memory_probes
