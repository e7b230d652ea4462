// The entries of a task of path merged in shared memory: their loads, products and sums.
#pragma once

#include <cstdint>

#include "cuda/l2_policy.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/merged/task.hpp"
#include "spmm/cuda_csr_balanced/rows/elements.cuh"

namespace sparserepro::balanced {

/// Four adjacent values, which are read once: they take no room in L1 and leave L2 first, so that x
/// stays.
template <class Element>
struct FourValues {
  static constexpr int words = sizeof(Element);
  unsigned word[words];

  __device__ __forceinline__ void load(const Element* from, std::uint64_t evict_first) {
    if constexpr (words == 2) {
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                   : "=r"(word[0]), "=r"(word[1])
                   : "l"(from), "l"(evict_first));
    } else {
#pragma unroll
      for (int w = 0; w < words; w += 4) {
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(word[w]), "=r"(word[w + 1]), "=r"(word[w + 2]), "=r"(word[w + 3])
                     : "l"(reinterpret_cast<const unsigned*>(from) + w), "l"(evict_first));
      }
    }
  }
  /// To shared memory, 16 bytes at once.
  __device__ __forceinline__ void store(SumType<Element>* to) const {
    if constexpr (words == 8) {
#pragma unroll
      for (int w = 0; w < words; w += 4) {
        reinterpret_cast<uint4*>(to)[w / 4] = {word[w], word[w + 1], word[w + 2], word[w + 3]};
      }
    } else if constexpr (words == 4) {
      *reinterpret_cast<uint4*>(to) = {word[0], word[1], word[2], word[3]};
    } else {
      const auto get = [&](int i) {
        return widen<Element>(static_cast<unsigned short>(word[i / 2] >> (16 * (i % 2))));
      };
      *reinterpret_cast<float4*>(to) = {get(0), get(1), get(2), get(3)};
    }
  }
};

/// A task in shared memory.
template <class Element>
struct MergedShared {
  using Sum = SumType<Element>;
  static constexpr int threads = BalancedPolicy::merged_threads;
  static constexpr int entries = BalancedPolicy::merged_task + BalancedPolicy::merged_overhang;
  static constexpr int rows = BalancedPolicy::merged_task / BalancedPolicy::row_cost + 1;
  static constexpr int groups = entries / 4 + 2;  ///< of 4 entries that a thread loads
  /// Least entries of a row that a warp adds up.
  static constexpr int long_row = 33;

  alignas(16) Sum values[4 * groups];
  alignas(16) index_t columns[4 * groups];
  int ends[rows + 1];  ///< of the part of a row before, then of each row
  int long_rows[entries / long_row + 2];
  int long_count;

  /// Loads `count` groups of four entries from `first` on, a multiple of 4.
  template <class Offset>
  __device__ __forceinline__ void load(const CsrView<Offset, Element>& a, Offset first, int count) {
    constexpr int most = ceil_div(groups, threads);
    const std::uint64_t evict_first = l2_policy(true);
    int4 column[most];
    FourValues<Element> value[most];
    const auto group = [](int k) { return static_cast<int>(threadIdx.x) + k * threads; };
    const auto whole = [&](int k) {
      return group(k) < count && a.nnz - (first + 4 * group(k)) >= 4;
    };
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (whole(k)) {
        const Offset e = first + 4 * group(k);
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(column[k].x), "=r"(column[k].y), "=r"(column[k].z), "=r"(column[k].w)
                     : "l"(a.col_idx + e), "l"(evict_first));
        value[k].load(a.values + e, evict_first);
      }
    }
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (whole(k)) {
        reinterpret_cast<int4*>(columns)[group(k)] = column[k];
        value[k].store(values + 4 * group(k));
      } else if (group(k) < count) {  // the last of the matrix
        for (int i = 0; first + 4 * group(k) + i < a.nnz; ++i) {
          columns[4 * group(k) + i] = a.col_idx[first + 4 * group(k) + i];
          values[4 * group(k) + i] = element(a.values + (first + 4 * group(k) + i));
        }
      }
    }
  }

  /// values[p] *= x[columns[p]] for the `count` entries from `shift` on.
  __device__ __forceinline__ void multiply(int shift, int count, const Element* x) {
    constexpr int batch = 8;
    for (int base = static_cast<int>(threadIdx.x); base < count; base += batch * threads) {
      Vector<1, Element> factor[batch];
      index_t column[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        column[u] = base + u * threads < count ? columns[shift + base + u * threads] : 0;
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        factor[u] = load_vector<true, 1, Element>(reinterpret_cast<const char*>(x + column[u]),
                                                  base + u * threads < count);
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        if (base + u * threads < count) {
          values[shift + base + u * threads] *= factor[u].get(0);
        }
      }
    }
  }

  /// The sum of the entries p, p + step, ... below `end`: of products.
  __device__ __forceinline__ Sum sum_products(int p, int end, int step) const {
    constexpr int batch = 4;
    Sum sum = 0;
    for (; p + (batch - 1) * step < end; p += batch * step) {
      Sum part[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        part[u] = values[p + u * step];
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        sum += part[u];
      }
    }
    for (; p < end; p += step) {
      sum += values[p];
    }
    return sum;
  }

  /// The same of values times elements of x.
  __device__ __forceinline__ Sum sum_row(int p, int end, int step, const Element* x) const {
    constexpr int batch = 4;
    Sum sum = 0;
    for (; p < end; p += batch * step) {
      Vector<1, Element> factor[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const int q = p + u * step;
        factor[u] = load_vector<true, 1, Element>(
            reinterpret_cast<const char*>(x + (q < end ? columns[q] : 0)), q < end);
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const int q = p + u * step;
        if (q < end) {
          sum = fma(values[q], factor[u].get(0), sum);
        }
      }
    }
    return sum;
  }
};

}  // namespace sparserepro::balanced
