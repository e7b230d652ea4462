// The passes of cuda_partition with two levels of splits: their buffers and launches.
//
// Bytes per entry with V bytes per value: 2 (4 + V) for each of the three passes over entries, so
// 48 for fp32 and 72 for fp64.
#pragma once

#include <algorithm>

#include "transpose/cuda_partition/one_level/passes.cuh"
#include "transpose/cuda_partition/two_levels/policy.hpp"
#include "transpose/cuda_partition/two_levels/units.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape. `other`: the passes that are queued before, and find out
/// whether it is their way; their room is used.
template <class Offset, class Value>
class TwoLevelPasses {
 public:
  /// Queues the set-up of its workspace on `stream`.
  TwoLevelPasses(index_t rows, index_t cols, Offset nnz, const Options& options,
                 DeviceMemory& memory, cudaStream_t stream, Passes<Offset, Value>* other = nullptr)
      : cols_(static_cast<unsigned>(cols)),
        options_(options),
        tile_(
            fitting_tile(options.tile, value_bytes<Value>, device_limits().shared_bytes_per_block)),
        other_(other) {
    with_threads([&]<int threads, int sort_threads> {
      using enum Ranks;
      constexpr unsigned tile = tile_of<Value, threads>, sort_tile = tile_of<Value, sort_threads>;
      levels_ = choose_levels(rows, cols, nnz, sort_tile);
      first_.divide(levels_.coarse, static_cast<unsigned>(rows), static_cast<unsigned>(nnz), tile,
                    threads);
      allocate(threads, sort_threads, tile, sort_tile, memory, stream);
      allow_all_shared(split_kernel<Value, threads, by_vote, true>,
                       split_kernel<Value, threads, by_addition, true>,
                       second_split_kernel<Value, threads, by_vote>,
                       second_split_kernel<Value, threads, by_addition>,
                       bucket_kernel<Value, sort_threads, Lies::side_by_side, by_vote>,
                       bucket_kernel<Value, sort_threads, Lies::side_by_side, by_addition>);
    });
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) const {
    with_threads(
        [&]<int threads, int sort_threads> { queue<threads, sort_threads>(in, out, stream); });
  }

  /// Waits for all queued kernels.
  Facts facts(cudaStream_t stream) const {
    const PassState state = plan_.final_state(stream);
    return {{"disorder", static_cast<double>(state.disorder)},
            {"sorted_again", static_cast<double>(state.disorder > 0)},
            {"levels", 2},
            {"units", static_cast<double>(levels_.units.count)},
            {"unit_columns", static_cast<double>(levels_.units.width)},
            {"coarse_buckets", static_cast<double>(levels_.coarse.count)},
            {"tiles", static_cast<double>(first_.shape().tiles)}};
  }

 private:
  using Policy = DevicePartitionPolicy;
  static constexpr int large = Policy::large_threads, small = Policy::small_threads;

  /// Calls use<threads, sort_threads>(), with those of the splits and of the bucket pass.
  template <class Use>
  void with_threads(const Use& use) const {
    tile_ == TileSize::large   ? use.template operator()<large, large>()
    : tile_ == TileSize::small ? use.template operator()<small, small>()
                               : use.template operator()<small, large>();
  }

  void allocate(int threads, int sort_threads, unsigned tile, unsigned sort_tile, DeviceMemory& m,
                cudaStream_t s) {
    const TiledMatrix& a = first_.shape();
    const std::size_t coarse = levels_.coarse.count;
    pieces_ = ceil_div(a.tiles, static_cast<unsigned>(threads));
    most_tiles_ = static_cast<unsigned>(most_second_tiles(a.nnz, tile, coarse * pieces_));
    first_.allocate(true, m, s);
    starts_ = DeviceArray<unsigned>(coarse * pieces_ * threads, m);
    places_ = DeviceArray<unsigned>(coarse * pieces_ * threads, m);
    totals_ = DeviceArray<uint2>(coarse * pieces_, m);
    second_tiles_ = DeviceArray<SecondTile>(std::size_t{most_tiles_}, m);
    part_begin_ = DeviceArray<unsigned>(coarse + 1, m);
    runs_ = DeviceArray<unsigned>(std::size_t{levels_.within.count} * most_tiles_, m);
    range_ = DeviceArray<unsigned>(std::size_t{most_tiles_}, m);
    begin_ = DeviceArray<unsigned>(std::size_t{most_tiles_}, m);
    room_ = EntryRoom<Value>(other_ != nullptr ? 0 : std::max(a.nnz, sort_tile), m, s);
    plan_.allocate(levels_.units.count, levels_.units.width, a.nnz, most_tiles_, sort_tile,
                   sort_threads, m, s);
  }

  template <int threads, int sort_threads>
  void queue(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
             cudaStream_t stream) const {
    using enum Ranks;
    constexpr unsigned tile = tile_of<Value, threads>;
    const Gate gate{other_ != nullptr ? other_->way() : nullptr, Way::two_levels};
    TiledMatrix a = first_.matrix(in);
    a.gate = gate;
    const RunTable coarse = first_.table();
    const RunTable fine{runs_.data(), most_tiles_, range_.data(), nullptr, begin_.data()};
    const SplitTiles<Value> first{out.row_idx, out.values};
    const SplitTiles<Value> second = other_ != nullptr ? other_->between() : room_.tiles();
    const CoarseEntries<Value> between{out.row_idx,  out.values, coarse, levels_.coarse.low_bits,
                                       a.group_bits, a.nnz,      gate};
    const SecondTiles seconds{pieces_,
                              starts_.data(),
                              places_.data(),
                              totals_.data(),
                              second_tiles_.data(),
                              part_begin_.data(),
                              gate};
    const Units units{levels_.units.count,
                      levels_.units.width,
                      levels_.within.count,
                      levels_.coarse.count,
                      levels_.per_bucket,
                      part_begin_.data(),
                      gate};
    const Plan plan = plan_.plan();
    ColumnBuckets columns;  // of a bucket, however many they are
    columns.low_bits = levels_.low_bits;
    const BucketInput<Value> input{second, fine, columns, cols_, 0};
    const unsigned* const tile_count = part_begin_.data() + levels_.coarse.count;
    const PassLauncher launch(stream, options_.programmatic);

    // The three passes over entries; again where additions have left disorder.
    const auto split = [&](auto kernel, unsigned blocks, bool redo) {
      launch(kernel, blocks, threads, tile_bytes<Value, threads>(levels_.coarse.count), a,
             in.values, first, coarse, plan.state, redo);
    };
    const auto split_again = [&](auto kernel, bool redo) {
      launch(kernel, a.wave, threads, tile_bytes<Value, threads>(levels_.within.count, 2 * threads),
             between, second_tiles_.data(), tile_count, levels_.within, levels_.low_bits, second,
             fine, plan.state, redo);
    };
    const auto sort = [&](auto kernel, bool redo) {
      launch(kernel, blocks_at_once(sort_threads), sort_threads,
             bucket_shared_bytes<Value, sort_threads>(levels_.per_bucket * levels_.units.width),
             input, a.nnz, plan, out, redo);
    };
    const bool vote = options_.vote;
    const bool narrow = levels_.units.width * LevelsPolicy::units_each <= Policy::narrow_bucket;
    launch.queue(other_ == nullptr ? Begins::after_previous : Begins::early, find_rows_kernel<tile>,
                 ceil_div(a.rows, block_rows), row_threads, 0, a, Band{});
    split(vote ? split_kernel<Value, threads, by_vote, true>
               : split_kernel<Value, threads, by_addition, true>,
          a.tiles, false);
    launch(cut_runs_kernel<threads, tile>, std::size_t{levels_.coarse.count} * pieces_, threads, 0,
           coarse, a.tiles, seconds);
    launch(number_tiles_kernel<threads>, levels_.coarse.count, threads, 0, seconds, a.tiles,
           levels_.within.count, fine);
    split_again(vote ? second_split_kernel<Value, threads, by_vote>
                     : second_split_kernel<Value, threads, by_addition>,
                false);
    launch(unit_extents_kernel, ceil_div(levels_.units.count, unsigned{unit_threads / 32}),
           unit_threads, 0, fine, units, plan);
    launch(join_units_kernel, levels_.coarse.count, unit_threads, 0, fine, units, a.nnz, plan);
    sort(vote || narrow ? bucket_kernel<Value, sort_threads, Lies::side_by_side, by_vote>
                        : bucket_kernel<Value, sort_threads, Lies::side_by_side, by_addition>,
         false);
    if (!vote) {
      split(split_kernel<Value, threads, by_vote, true>, a.wave, true);
      split_again(second_split_kernel<Value, threads, by_vote>, true);
      sort(bucket_kernel<Value, sort_threads, Lies::side_by_side, by_vote>, true);
    }
  }

  unsigned cols_;
  Options options_;
  TileSize tile_;
  const Passes<Offset, Value>* other_;
  TwoLevels levels_;
  MatrixSplit first_;
  unsigned pieces_ = 0, most_tiles_ = 0;
  DeviceArray<unsigned> starts_, places_;
  DeviceArray<uint2> totals_;
  DeviceArray<SecondTile> second_tiles_;
  DeviceArray<unsigned> part_begin_, runs_, range_, begin_;
  EntryRoom<Value> room_;
  PlanBuffers plan_;
};

}  // namespace sparserepro::partition
