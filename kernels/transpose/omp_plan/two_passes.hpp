// The two passes of omp_plan. A and A^T are cut into tiles of as many consecutive entries, which
// fit the L2 cache; a run is the entries of one tile of A that one tile of A^T takes.
//
//   first pass    each tile of A: the entries of each run are picked and streamed to their tile
//   second pass   each tile of A^T: its entries are picked in their order and streamed to A^T
//
//   bytes an entry = (V + 2) + V + (V + 2) + V, V bytes a value
//
// While a tile is worked on, lines of the next one are asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "formats/buffer.hpp"
#include "formats/ceil_div.hpp"
#include "formats/huge_pages.hpp"
#include "formats/region_error.hpp"
#include "formats/streaming.hpp"
#include "transpose/omp_plan/policy.hpp"
#include "transpose/recent_numbers.hpp"

namespace sparserepro::host_plan {

/// Share of the entries of A^T, in samples, whose line of A none of the last `window` to twice so
/// many entries met, nor a line beside it. `nnz` is at least HostPlanPolicy::least_entries.
inline double fresh_lines(const std::int32_t* source, std::int64_t nnz, int threads) {
  using Policy = HostPlanPolicy;
  std::int64_t fresh = 0;
  RegionError error;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : fresh)
  for (int sample = 0; sample < Policy::samples; ++sample) {
    error.guard([&] {
      RecentNumbers recent(4 * Policy::window);
      const std::int64_t begin = (nnz - 2 * Policy::window) / Policy::samples * sample;
      for (std::int64_t e = 0; e < 2 * Policy::window; ++e) {
        const auto line = static_cast<std::uint32_t>(source[begin + e] / Policy::line_entries);
        if (!recent.has(line)) {
          fresh += e >= Policy::window && !recent.has(line - 1) && !recent.has(line + 1);
          recent.add(line);
        }
      }
    });
  }
  error.rethrow();
  return static_cast<double>(fresh) / static_cast<double>(Policy::samples * Policy::window);
}

class TwoPasses {
 public:
  /// Entry q of A^T is entry source[q] of A.
  TwoPasses(const std::int32_t* source, std::int64_t nnz, int threads)
      : nnz_(nnz), tile_(host_plan_tile(nnz)), tiles_(ceil_div(nnz, tile_)), threads_(threads) {
    const auto table = static_cast<std::size_t>(tiles_ * tiles_);
    Buffer<std::uint16_t> starts;
    Buffer<std::uint32_t> next;
    resize_on_huge_pages(starts, table);
    resize_on_huge_pages(next, table);
    resize_on_huge_pages(runs_, table);
    resize_on_huge_pages(to_run_, static_cast<std::size_t>(nnz));
    resize_on_huge_pages(to_entry_, static_cast<std::size_t>(nnz));
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
      for (std::int64_t c = 0; c < tiles_; ++c) {
        count(source, c, next.data() + c * tiles_, starts.data() + c * tiles_);
      }
#pragma omp for schedule(static)
      for (std::int64_t t = 0; t < tiles_; ++t) {
        lay_out(starts.data(), t);
      }
#pragma omp for schedule(static)
      for (std::int64_t c = 0; c < tiles_; ++c) {
        place(source, c, starts.data() + c * tiles_, next.data() + c * tiles_);
      }
    }
  }

  /// False, and nothing is done, where another call uses the memory between the passes.
  template <class Value>
  bool move(const Value* from, Value* to) {
    const std::unique_lock lock(in_use_, std::try_to_lock);
    if (!lock.owns_lock()) {
      return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(nnz_) * sizeof(Value);
    if (between_.size() < bytes) {
      between_ = {};
      resize_on_huge_pages(between_, bytes);
    }
    auto* const between = reinterpret_cast<Value*>(between_.data());
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static)
      for (std::int64_t t = 0; t < tiles_; ++t) {
        split(from, between, t);
      }
      stream_fence();
#pragma omp barrier
#pragma omp for schedule(static)
      for (std::int64_t c = 0; c < tiles_; ++c) {
        order(between, to, c);
      }
      stream_fence();
    }
    return true;
  }

  std::int64_t bytes() {
    const std::lock_guard lock(in_use_);
    return static_cast<std::int64_t>(runs_.size() * sizeof(std::uint32_t) +
                                     (to_run_.size() + to_entry_.size()) * sizeof(std::uint16_t) +
                                     between_.size());
  }

 private:
  std::int64_t entries_of(std::int64_t tile) const {
    return std::min(tile_, nnz_ - tile * tile_);
  }

  /// starts[t]: entries of tile c of A^T from tiles of A before t.
  void count(const std::int32_t* source, std::int64_t c, std::uint32_t* counts,
             std::uint16_t* starts) const {
    std::fill(counts, counts + tiles_, 0U);
    const std::int32_t* const mine = source + c * tile_;
    const auto tile = static_cast<std::uint32_t>(tile_);
    for (std::int64_t e = 0; e < entries_of(c); ++e) {
      ++counts[static_cast<std::uint32_t>(mine[e]) / tile];
    }
    std::uint32_t start = 0;
    for (std::int64_t t = 0; t < tiles_; ++t) {
      starts[t] = static_cast<std::uint16_t>(start);
      start += counts[t];
    }
  }
  void lay_out(const std::uint16_t* starts, std::int64_t t) {
    std::uint32_t begin = 0;
    for (std::int64_t c = 0; c < tiles_; ++c) {
      const std::uint16_t* const of = starts + c * tiles_;
      const auto end = t + 1 < tiles_ ? of[t + 1] : static_cast<std::uint32_t>(entries_of(c));
      runs_[t * tiles_ + c] = begin | static_cast<std::uint32_t>(of[t]) << 16;
      begin += end - of[t];
    }
  }
  void place(const std::int32_t* source, std::int64_t c, const std::uint16_t* starts,
             std::uint32_t* next) {
    std::copy(starts, starts + tiles_, next);
    const std::int32_t* const mine = source + c * tile_;
    const auto tile = static_cast<std::uint32_t>(tile_);
    for (std::int64_t e = 0; e < entries_of(c); ++e) {
      const auto p = static_cast<std::uint32_t>(mine[e]);
      const std::uint32_t t = p / tile, slot = next[t]++, run = runs_[t * tiles_ + c];
      to_entry_[c * tile_ + e] = static_cast<std::uint16_t>(slot);
      to_run_[t * tile_ + (run & 0xffff) + slot - (run >> 16)] =
          static_cast<std::uint16_t>(p - t * tile);
    }
  }

  template <class Value>
  void split(const Value* from, Value* between, std::int64_t t) const {
    constexpr std::int64_t line = 64 / sizeof(Value);
    const std::int64_t entries = entries_of(t), more = t + 1 < tiles_ ? entries_of(t + 1) : 0;
    const Value* const tile = from + t * tile_;
    const std::uint16_t* const places = to_run_.data() + t * tile_;
    const std::uint32_t* const runs = runs_.data() + t * tiles_;
    std::int64_t asked = 0;
    for (std::int64_t c = 0; c < tiles_; ++c) {
      const std::int64_t begin = runs[c] & 0xffff;
      const std::int64_t end = c + 1 < tiles_ ? runs[c + 1] & 0xffff : entries;
      for (; asked < std::min(end, more); asked += line) {
        __builtin_prefetch(tile + tile_ + asked, 0, 2);
      }
      Value* const run = between + c * tile_ + (runs[c] >> 16);
      for (std::int64_t e = begin; e < end; ++e) {
        stream_value(run + (e - begin), tile[places[e]]);
      }
    }
  }
  template <class Value>
  void order(const Value* between, Value* to, std::int64_t c) const {
    constexpr std::int64_t line = 64 / sizeof(Value);
    const std::int64_t entries = entries_of(c), more = c + 1 < tiles_ ? entries_of(c + 1) : 0;
    const Value* const tile = between + c * tile_;
    const std::uint16_t* const places = to_entry_.data() + c * tile_;
    Value* const ordered = to + c * tile_;
    std::int64_t e = 0;
    for (; e + line <= entries; e += line) {
      if (e < more) {
        __builtin_prefetch(tile + tile_ + e, 0, 2);
      }
      for (std::int64_t i = 0; i < line; ++i) {
        stream_value(ordered + e + i, tile[places[e + i]]);
      }
    }
    for (; e < entries; ++e) {
      stream_value(ordered + e, tile[places[e]]);
    }
  }

  std::int64_t nnz_, tile_, tiles_;
  int threads_;
  Buffer<std::uint32_t> runs_;               // [tile of A][tile of A^T] begin | start << 16
  Buffer<std::uint16_t> to_run_, to_entry_;  // [nnz] places in a tile of A, and of A^T
  std::mutex in_use_;                        // of between_
  Buffer<char> between_;                     // [nnz] values, from the first call on
};

}  // namespace sparserepro::host_plan
