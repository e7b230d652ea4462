// Sort of a tile of cuda_mergetrans_mergepath by merging, and the beginnings of columns that follow
// from its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "transpose/papers/cuda_mergetrans_mergepath/tile.cuh"

namespace sparserepro::mergepath {

/// Word of no entry: all bits set. No slot has all bits set, so it exceeds every word of an entry.
template <class Word>
inline constexpr Word no_word = ~Word{0};

/// Sorts a thread's words by odd-even transposition, in `items` steps.
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

/// Lists of `items` words, one for each thread; `count` words in all. list -> first word.
struct EqualLists {
  /// The outputs of a thread lie in one pair of lists.
  static constexpr bool one_pair = true;
  unsigned count;
  __device__ unsigned operator()(unsigned list) const { return min(list * items, count); }
};

/// Lists of any lengths; starts [lists + 1]. list -> first word.
struct AnyLists {
  static constexpr bool one_pair = false;
  const unsigned* starts;
  unsigned lists;
  __device__ unsigned operator()(unsigned list) const { return starts[min(list, lists)]; }
};

/// Words [place, place + items) of the merges of pairs, each of 2 x `width` neighbouring lists.
/// `list` is the list of word `place`. A binary search along the diagonal finds where the thread's
/// merge begins; the merge is done in registers.
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
    const bool take_a = from_a < from_b;  // selections, no branch: lanes differ
    own[k] = take_a ? from_a : from_b;
    a += take_a ? 1 : 0;
    b += take_a ? 0 : 1;
    const unsigned next = take_a ? a : b;
    const Word word = next < (take_a ? right : end) ? words[next] : no_word<Word>;
    from_a = take_a ? word : from_a;
    from_b = take_a ? from_b : word;
  }
}

/// Merges `lists` sorted lists of `words` [count] in place, in ceil(log2 lists) rounds of pairs.
/// `list` is the list of word threadIdx.x * items. All threads of the block call it, after a
/// barrier; a barrier ends it.
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

/// Sorts the words of a tile, given by slot, in place. With `sorted`, each list is sorted already;
/// without, the lists are the items of threads. All threads of the block call it, after a barrier;
/// a barrier ends it.
template <bool sorted, class Word, class Lists>
__device__ __forceinline__ void order_words(Word* words, Lists lists, unsigned list_count,
                                            unsigned list, unsigned count) {
  if (!sorted) {
    Word item[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      item[k] = words[threadIdx.x * items + k];
    }
    sort_items(item);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      words[threadIdx.x * items + k] = item[k];
    }
    __syncthreads();
  }
  merge_lists(words, lists, list_count, list, count);
}

/// Array of positions where columns, or panels of 2^shift columns, begin: the column pointers of
/// A^T in the last step, the panels of a run before it.
struct Starts {
  void* data;
  unsigned stride;
  bool wide;
  int shift;
  int last;  ///< last column or panel of the array

  __device__ void set(int i, unsigned position) const {
    const std::size_t at = static_cast<std::size_t>(i) * stride;
    if (wide) {
      static_cast<std::int64_t*>(data)[at] = position;
    } else {
      static_cast<unsigned*>(data)[at] = position;
    }
  }
};

/// Sets the starts of (before, here) to `position`. The lanes of the warp share the work of a lane
/// that has more than a few. All lanes call it.
__device__ __forceinline__ void fill_starts(const Starts& starts, int before, int here,
                                            unsigned position) {
  constexpr int few = 4;
  const bool shared = here - before > few;
  if (!shared) {
#pragma unroll 1
    for (int i = before + 1; i < here; ++i) {
      starts.set(i, position);
    }
  }
  unsigned many = __ballot_sync(full_warp, shared);
#pragma unroll 1
  for (; many != 0; many &= many - 1) {
    const int lane = __ffs(static_cast<int>(many)) - 1;
    const int first = __shfl_sync(full_warp, before, lane) + 1;
    const int last = __shfl_sync(full_warp, here, lane);
    const unsigned value = __shfl_sync(full_warp, position, lane);
#pragma unroll 1
    for (int i = first + static_cast<int>(threadIdx.x % 32); i < last; i += 32) {
      starts.set(i, value);
    }
  }
}

/// Sets the starts of (before, here] to `position`, the first position of `here`; the columns
/// between are empty. All lanes of the warp call it.
__device__ __forceinline__ void set_starts(const Starts& starts, int before, int here,
                                           unsigned position) {
  if (here > before) {
    starts.set(here, position);
  }
  if (__any_sync(full_warp, here > before + 1)) {
    fill_starts(starts, before, here, position);
  }
}

}  // namespace sparserepro::mergepath
