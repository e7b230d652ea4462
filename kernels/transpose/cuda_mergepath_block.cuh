// What a block of cuda_mergetrans_mergepath does in shared memory: it sorts and merges words, which
// hold the column of an entry above its slot in the tile.
//
// Words differ from each other and slots ascend in storage order, so merging them by plain
// comparison is stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "transpose/cuda_mergepath_policy.hpp"
#include "transpose/device_rows.cuh"

namespace sparserepro::mergepath {

inline constexpr int items = MergepathPolicy::items;

/// Word, 32 bits where column and slot fit, else 64. All ones is none: slots are fewer than 2^bits.
template <class Word>
inline constexpr Word no_word = ~Word{0};

template <class Word>
struct Words {
  Word* data;  ///< [tile]
  int slot_bits;

  static __device__ Word make(unsigned column, unsigned slot, int slot_bits) {
    return static_cast<Word>(column) << slot_bits | slot;
  }
  __device__ unsigned column(unsigned i) const {
    return static_cast<unsigned>(data[i] >> slot_bits);
  }
  __device__ unsigned slot(unsigned i) const {
    return static_cast<unsigned>(data[i]) & ((1U << slot_bits) - 1);
  }
};

/// Odd-even transposition: neighbours are put in order, `items` times.
template <class Word>
__device__ __forceinline__ void sort_items(Word (&own)[items]) {
#pragma unroll
  for (int step = 0; step < items; ++step) {
#pragma unroll
    for (int i = step % 2; i + 1 < items; i += 2) {
      const Word low = min(own[i], own[i + 1]);
      own[i + 1] = max(own[i], own[i + 1]);
      own[i] = low;
    }
  }
}

/// Lists of equal length, a thread's items each.
struct EqualLists {
  /// A thread's outputs lie in one pair of lists.
  static constexpr bool one_pair = true;
  unsigned count;
  __device__ unsigned operator()(unsigned list) const { return min(list * items, count); }
};

/// Lists of any length; starts [lists + 1].
struct AnyLists {
  static constexpr bool one_pair = false;
  const unsigned* starts;
  unsigned lists;
  __device__ unsigned operator()(unsigned list) const { return starts[min(list, lists)]; }
};

/// The outputs [place, place + items) of the merge of pairs of neighbouring lists of `width` lists;
/// `list` is the one that holds `place`. Binary search on the diagonal, then a merge in registers.
template <class Word, class Begin>
__device__ __forceinline__ void merge_items(const Word* words, Begin begin_of, unsigned width,
                                            unsigned list, unsigned place, unsigned count,
                                            Word (&own)[items]) {
  unsigned pair = list / (2 * width) * (2 * width);
  unsigned begin = begin_of(pair), right = begin_of(pair + width), end = begin_of(pair + 2 * width);
  const unsigned diagonal = place - begin;
  unsigned low = diagonal > end - right ? diagonal - (end - right) : 0;
  unsigned high = min(diagonal, right - begin);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (words[begin + middle] < words[right + diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  unsigned a = begin + low, b = right + diagonal - low;
  Word from_a = a < right ? words[a] : no_word<Word>;
  Word from_b = b < end ? words[b] : no_word<Word>;
#pragma unroll
  for (int k = 0; k < items; ++k, ++place) {
    if (!Begin::one_pair && place == end && place < count) {
      do {
        pair += 2 * width;
        end = begin_of(pair + 2 * width);
      } while (end == place);
      a = place;
      b = right = begin_of(pair + width);
      from_a = a < right ? words[a] : no_word<Word>;
      from_b = b < end ? words[b] : no_word<Word>;
    }
    const bool take_a = from_a < from_b;  // selected, not branched on: lanes disagree
    own[k] = take_a ? from_a : from_b;
    a += take_a ? 1 : 0;
    b += take_a ? 0 : 1;
    const unsigned next = take_a ? a : b;
    const Word word = next < (take_a ? right : end) ? words[next] : no_word<Word>;
    from_a = take_a ? word : from_a;
    from_b = take_a ? from_b : word;
  }
}

/// Merges `lists` sorted lists, neighbours first, until there is one. `list` holds the thread's
/// first output. All threads of the block call it; a barrier before it is the caller's.
template <class Word, class Begin>
__device__ __forceinline__ void merge_lists(Word* words, Begin begin_of, unsigned lists,
                                            unsigned list, unsigned count) {
  const unsigned place = threadIdx.x * items;
  for (unsigned width = 1; width < lists; width *= 2) {
    Word own[items];
    if (place < count) {
      merge_items(words, begin_of, width, list, place, count, own);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (place + k < count) {
        words[place + k] = own[k];
      }
    }
    __syncthreads();
  }
}

/// Column pointers of A^T, of either width.
struct OutPointers {
  void* data;
  bool wide;

  __device__ void set(unsigned i, unsigned value) const {
    if (wide) {
      static_cast<std::int64_t*>(data)[i] = value;
    } else {
      static_cast<unsigned*>(data)[i] = value;
    }
  }
};

/// starts.set(i, position) for every i of (before, here], where `here` first occurs at `position`.
/// The warp shares the work of a lane with many; all its lanes call it.
template <class Starts>
__device__ __forceinline__ void set_starts(const Starts& starts, int before, int here,
                                           unsigned position) {
  constexpr int few = 16;
  unsigned many = __ballot_sync(rows::full_warp, here - before > few);
  if (here - before <= few) {
    for (int i = before + 1; i <= here; ++i) {
      starts.set(static_cast<unsigned>(i), position);
    }
  }
  for (; many != 0; many &= many - 1) {
    const int lane = __ffs(static_cast<int>(many)) - 1;
    const int first = __shfl_sync(rows::full_warp, before, lane) + 1;
    const int last = __shfl_sync(rows::full_warp, here, lane);
    const unsigned value = __shfl_sync(rows::full_warp, position, lane);
    for (int i = first + static_cast<int>(threadIdx.x % 32); i <= last; i += 32) {
      starts.set(static_cast<unsigned>(i), value);
    }
  }
}

/// Where columns (panels of 2^shift columns) begin, as far as the sorted tile [begin, begin +
/// count) decides it. `before`: column of the entry ahead of it in the run, -1 if none; `ends_run`:
/// all up to `last` that are still to come begin at the end. All threads of the block call it.
template <class Word, class Starts>
__device__ __forceinline__ void write_starts(const Words<Word>& words, unsigned begin,
                                             unsigned count, int shift, int before, bool ends_run,
                                             unsigned last, const Starts& starts) {
  const unsigned positions = count + (ends_run ? 1 : 0);
  for (unsigned i = threadIdx.x; i - threadIdx.x % 32 < positions; i += blockDim.x) {
    int here = 0, previous = 0;
    if (i < positions) {
      here = static_cast<int>(i < count ? words.column(i) >> shift : last);
      previous = i == 0 ? before >> shift : static_cast<int>(words.column(i - 1) >> shift);
    }
    set_starts(starts, previous, here, begin + i);
  }
}

}  // namespace sparserepro::mergepath
