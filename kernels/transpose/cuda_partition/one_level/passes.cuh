// The passes of cuda_partition, each a kernel: their buffers and launches.
#pragma once

#include <algorithm>

#include "formats/csr.hpp"
#include "transpose/cuda_partition/launch.cuh"
#include "transpose/cuda_partition/one_level/bucket.cuh"
#include "transpose/cuda_partition/two_levels/locality.cuh"

namespace sparserepro::partition {

/// Blocks of `threads` that the device holds.
inline unsigned blocks_at_once(int threads) {
  return static_cast<unsigned>(device_limits().multiprocessors *
                               (DevicePartitionPolicy::block_threads / threads));
}

/// How A is divided by a split, and the table of its runs.
class MatrixSplit {
 public:
  /// Tiles of `tile` entries for blocks of `threads`.
  void divide(const ColumnBuckets& buckets, unsigned rows, unsigned nnz, unsigned tile,
              int threads) {
    const int group_bits = std::min(32 - buckets.low_bits, 31);
    const auto groups =
        static_cast<unsigned>(ceil_div(std::uint64_t{rows}, std::uint64_t{1} << group_bits));
    // Each group ends a tile, and may leave one empty.
    shape_ = {.rows = rows,
              .nnz = nnz,
              .tiles = nnz / tile + groups,
              .groups = groups,
              .group_bits = group_bits,
              .buckets = buckets,
              .wave = blocks_at_once(threads)};
    tile_ = tile;
  }

  /// `packed`: tiles lie where they begin in A.
  void allocate(bool packed, DeviceMemory& m, cudaStream_t s) {
    const std::size_t tiles = shape_.tiles;
    runs_ = DeviceArray<unsigned>(shape_.buckets.count * tiles, m);
    range_ = DeviceArray<unsigned>(tiles, m);
    begin_ = DeviceArray<unsigned>(packed ? tiles : 0, m);
    group_ = DeviceArray<std::uint16_t>(tiles, m);
    row_at_ = DeviceArray<unsigned>(shape_.nnz / tile_ + std::size_t{2}, m);
    runs_.fill_bytes(0, s);  // read, not used, where a tile has no entry of the bucket
  }

  /// Without arrays.
  const TiledMatrix& shape() const { return shape_; }
  unsigned tile() const { return tile_; }
  template <class Offset, class Value>
  TiledMatrix matrix(const CsrView<Offset, Value>& in) const {
    TiledMatrix a = shape_;
    a.row_ptr = AnyPointers(in.row_ptr);
    a.col_idx = reinterpret_cast<const unsigned*>(in.col_idx);
    a.row_at = row_at_.data();
    return a;
  }
  RunTable table() const {
    return {runs_.data(), shape_.tiles, range_.data(), group_.data(), begin_.data()};
  }

 private:
  TiledMatrix shape_{};
  unsigned tile_ = 0;
  DeviceArray<unsigned> runs_, range_, begin_, row_at_;
  DeviceArray<std::uint16_t> group_;
};

/// Room for entries between the passes.
template <class Value>
class EntryRoom {
 public:
  EntryRoom() = default;
  EntryRoom(std::size_t count, DeviceMemory& memory, cudaStream_t stream)
      : entries_(count * entry_bytes<Value>, memory),
        values_(has_values<Value> && !fused_entry<Value> ? count : 0, memory) {
    entries_.fill_bytes(0, stream);  // read, not used, where a bucket's tile has no entry
    values_.fill_bytes(0, stream);
  }
  SplitTiles<Value> tiles() const { return {entries_.data(), values_.data()}; }

 private:
  DeviceArray<char> entries_;  // words, or pairs of word and value
  DeviceArray<Value> values_;  // not in pairs
};

/// Transposes matrices of one shape. `alone`: there is no other
/// way; else nothing is done with matrices of Way::two_levels.
template <class Offset, class Value>
class Passes {
 public:
  /// Queues the set-up of its workspace on `stream`.
  Passes(index_t rows, index_t cols, Offset nnz, const Options& options, DeviceMemory& memory,
         cudaStream_t stream, bool alone = true)
      : cols_(static_cast<unsigned>(cols)), options_(options), alone_(alone) {
    const TileSize tile =
        fitting_tile(options.tile, value_bytes<Value>, device_limits().shared_bytes_per_block);
    large_ = tile != TileSize::small;
    if (large_) {
      divide<large>(rows, nnz);
      large_ = tile == TileSize::large ||
               large_tiles_pay(split_.shape().buckets, nnz, value_bytes<Value>,
                               device_limits().multiprocessors);
    }
    if (!large_) {
      divide<small>(rows, nnz);
    }
    const TiledMatrix& a = split_.shape();
    split_.allocate(false, memory, stream);
    const std::size_t own = std::size_t{std::max(a.tiles, 1U)} * split_.tile();
    between_ = EntryRoom<Value>(alone ? own : std::max<std::size_t>(own, tile_of<Value, large>),
                                memory, stream);
    plan_.allocate(a.buckets.count, a.buckets.width, a.nnz, a.tiles, split_.tile(),
                   large_ ? large : small, memory, stream);
    band_begins_ = DeviceArray<unsigned>(std::size_t{band_.buckets.count}, memory);
    band_begins_.fill_bytes(0, stream);
    with_kind([&]<int threads, Lies lies> {
      allow_all_shared(split_kernel<Value, threads, Ranks::by_vote, false>,
                       split_kernel<Value, threads, Ranks::by_addition, false>,
                       bucket_kernel<Value, threads, lies, Ranks::by_vote>,
                       bucket_kernel<Value, threads, lies, Ranks::by_addition>,
                       rest_kernel<Value, threads, lies>);
    });
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) const {
    with_kind([&]<int threads, Lies lies> { queue<threads, lies>(in, out, stream); });
  }

  /// Where a Way is, if it is found out.
  const unsigned* way() const {
    return alone_ && band_.buckets.count == 0 ? nullptr : &plan_.state()->way;
  }
  /// For all entries, and unless alone for a large tile.
  SplitTiles<Value> between() const { return between_.tiles(); }

  /// Whether the device chose two levels. Waits for all queued kernels.
  bool left(cudaStream_t stream) const {
    return plan_.final_state(stream).way == static_cast<unsigned>(Way::two_levels);
  }

  /// Waits for all queued kernels.
  Facts facts(cudaStream_t stream) const {
    const PassState state = plan_.final_state(stream);
    const TiledMatrix& a = split_.shape();
    return {{"band", static_cast<double>(state.band_was_narrow)},
            {"disorder", static_cast<double>(state.disorder)},
            {"sorted_again", static_cast<double>(state.disorder > 0)},
            {"levels", 1},
            {"buckets", static_cast<double>(a.buckets.count)},
            {"bucket_columns", static_cast<double>(a.buckets.width)},
            {"tiles", static_cast<double>(a.tiles)}};
  }

 private:
  using Policy = DevicePartitionPolicy;
  static constexpr int large = Policy::large_threads, small = Policy::small_threads;

  /// Divides the columns, for blocks of `threads`.
  template <int threads>
  void divide(index_t rows, Offset nnz) {
    constexpr unsigned tile = tile_of<Value, threads>;
    static_assert(static_cast<std::int64_t>(bucket_shared_bytes<Value, threads>(
                      Policy::largest_digits)) < most_shared_bytes(value_bytes<Value>, threads));
    split_.divide(choose_buckets(cols_, nnz, tile, blocks_at_once(threads)),
                  static_cast<unsigned>(rows), static_cast<unsigned>(nnz), tile, threads);
    band_ = threads == large && options_.path != Path::one_level
                ? choose_band(rows, cols_, nnz, tile, value_bytes<Value>)
                : BandShape{};
  }

  /// Calls use<threads, lies>().
  template <class Use>
  void with_kind(const Use& use) const {
    const auto with_threads = [&]<int threads> {
      split_.shape().groups > 1 ? use.template operator()<threads, Lies::in_groups>()
                                : use.template operator()<threads, Lies::in_runs>();
    };
    large_ ? with_threads.template operator()<large>() : with_threads.template operator()<small>();
  }

  template <int threads, Lies lies>
  void queue(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
             cudaStream_t stream) const {
    constexpr unsigned tile = tile_of<Value, threads>;
    const bool may_be_band = band_.buckets.count > 0;
    const Gate gate{way(), Way::one_level};
    PassState* const state = plan_.state();
    Plan plan = plan_.plan();
    plan.gate = gate;
    plan.band = {band_.buckets, band_.reach, cols_, band_begins_.data(),
                 may_be_band ? state : nullptr};
    TiledMatrix a = split_.matrix(in);
    const ColumnBuckets& buckets = a.buckets;
    const BucketInput<Value> input{between(), split_.table(), buckets, cols_, a.group_bits};
    const std::size_t split_bytes = tile_bytes<Value, threads>(buckets.count);
    const std::size_t sort_bytes = bucket_shared_bytes<Value, threads>(buckets.width);
    const std::size_t band_bytes =
        may_be_band ? bucket_shared_bytes<Value, threads>(band_.buckets.width) : 0;

    const PassLauncher launch(stream, options_.programmatic);
    launch.queue(Begins::after_previous, find_rows_kernel<tile>, ceil_div(a.rows, block_rows),
                 row_threads, 0, a, plan.band);
    a.gate = gate;
    if (!alone_) {
      launch(choose_way_kernel<tile>, static_cast<unsigned>(device_limits().multiprocessors),
             locality_threads, 0, a, state, least_local_run(buckets, a.nnz, tile));
    }
    launch(options_.vote ? split_kernel<Value, threads, Ranks::by_vote, false>
                         : split_kernel<Value, threads, Ranks::by_addition, false>,
           a.tiles, threads, split_bytes, a, in.values, input.tiles, input.table, state, false);
    launch(plan_kernel, ceil_div(buckets.count, unsigned{plan_buckets}), plan_threads, 0,
           input.table, a.tiles, buckets, plan);
    launch(options_.vote || buckets.width <= Policy::narrow_bucket
               ? bucket_kernel<Value, threads, lies, Ranks::by_vote>
               : bucket_kernel<Value, threads, lies, Ranks::by_addition>,
           a.wave, threads, sort_bytes, input, a.nnz, plan, out, false);
    if (!options_.vote || may_be_band) {
      launch(rest_kernel<Value, threads, lies>, a.wave, threads,
             std::max({split_bytes, sort_bytes, band_bytes}), a, in.values, input, plan, out,
             options_.vote);
    }
  }

  unsigned cols_;
  Options options_;
  bool alone_, large_ = false;
  MatrixSplit split_;
  BandShape band_;
  EntryRoom<Value> between_;
  DeviceArray<unsigned> band_begins_;
  PlanBuffers plan_;
};

}  // namespace sparserepro::partition
