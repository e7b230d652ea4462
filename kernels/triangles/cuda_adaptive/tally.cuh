// Where the kernels of cuda_adaptive put what they find.
#pragma once

#include "formats/types.hpp"
#include "triangles/cuda_adaptive/policy.hpp"
#include "triangles/cuda_sum.cuh"
#include "triangles/device_graph.hpp"

namespace sparserepro::adaptive {

constexpr unsigned all_lanes = 0xffffffffU;

/// The sum of all triangles and, where they are asked for, those at each vertex.
struct Tally {
  std::uint64_t* sum;
  std::uint64_t* of_vertex;  ///< [vertices]; unused unless `per_vertex`
};

/// The part of the work that one count does; the sum of the counts of all parts is that of the
/// graph.
struct Share {
  unsigned part = 0, parts = 1;

  /// Vertex of the number `i` of those that this part takes, for the paths without orientation:
  /// chunks of successive vertices, dealt out in turn.
  __device__ std::int64_t vertex(std::int64_t i) const {
    return ((i / chunk) * parts + part) * chunk + i % chunk;
  }
  /// Whether this part takes segment `segment` of the row of rank `rank`, for path oriented. Ranks
  /// descend by degree and neighbours in rank have about as much work, so that dealing them out
  /// balances the parts; segments of a long row are dealt out too.
  __device__ bool takes(unsigned rank, unsigned segment) const {
    return (rank + segment) % parts == part;
  }
  static constexpr std::int64_t chunk = 4096;  ///< a multiple of 32: a warp's vertices adjoin
};

/// Credits a triangle to two of its vertices; the third is credited once for many triangles.
template <bool per_vertex>
__device__ void credit(const Tally& tally, unsigned y, unsigned w) {
  if constexpr (per_vertex) {
    atomic_add(tally.of_vertex + y, 1);
    atomic_add(tally.of_vertex + w, 1);
  }
}

/// Credits `found` triangles to one vertex.
template <bool per_vertex>
__device__ void credit_many(const Tally& tally, unsigned u, std::uint64_t found) {
  if constexpr (per_vertex) {
    if (found > 0) {
      atomic_add(tally.of_vertex + u, found);
    }
  }
}

/// Which rows a vertex u reads and in which set it looks their numbers up, both as ranges of u's
/// own row. Middle rule: a triangle a < u < c is found at u; either the rows of all a are read and
/// searched for c, or the other way round, whichever are fewer rows.
template <class Offset>
struct Pairing {
  Offset rows{};
  int row_count{};
  Offset set{};
  int set_size{};
};

template <class Offset>
__device__ Pairing<Offset> middle_pairing(Offset begin, int degree, int lower) {
  const int upper = degree - lower;
  if (lower == 0 || upper == 0) {
    return {};
  }
  if (lower <= upper) {
    return {begin, lower, begin + lower, upper};
  }
  return {begin + lower, upper, begin, lower};
}

/// Lane that owns item `t` when lane i owns the items from inclusive[i - 1] to inclusive[i] - 1.
__device__ inline int owner_lane(int inclusive, int t) {
  int owner = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    if (__shfl_sync(all_lanes, inclusive, owner + step - 1) <= t) {
      owner += step;
    }
  }
  return owner;
}

__device__ inline int inclusive_sum(int value, int lane) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(all_lanes, value, distance);
    value += lane >= distance ? other : 0;
  }
  return value;
}

}  // namespace sparserepro::adaptive
