// The passes of cuda_partition with two levels of splits: their buffers and launches.
//
//   1. rows          as with one level
//   2. first split   of A into coarse buckets; its tiles lie packed where the answer goes
//   3. cut, number   tiles of the second split: runs of a coarse bucket in consecutive tiles
//   4. second split  of each of these tiles into units of columns
//   5. extents, join of units to buckets of about a tile
//   6. bucket        as with one level
//
// Bytes per entry with V bytes per value: 2 (4 + V) for each of the three passes over entries, so
// 48 for fp32 and 72 for fp64.
#pragma once

#include <algorithm>

#include "transpose/cuda_partition/one_level/passes.cuh"
#include "transpose/cuda_partition/two_levels/policy.hpp"
#include "transpose/cuda_partition/two_levels/second_split.cuh"
#include "transpose/cuda_partition/two_levels/units.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape. `other`: the passes that
/// are queued before, and find out whether it is their way; their room is used.
template <class Offset, class Value>
class TwoLevelPasses {
 public:
  /// Queues the set-up of its workspace on `stream`.
  TwoLevelPasses(index_t rows, index_t cols, Offset nnz, const Options& options,
                 DeviceMemory& memory, cudaStream_t stream, Passes<Offset, Value>* other = nullptr)
      : rows_(static_cast<unsigned>(rows)),
        cols_(static_cast<unsigned>(cols)),
        nnz_(static_cast<unsigned>(nnz)),
        vote_(options.vote),
        programmatic_(options.programmatic),
        other_(other) {
    const TileSize tile =
        fitting_tile(options.tile, value_bytes<Value>, device_limits().shared_bytes_per_block);
    tile == TileSize::small ? set_third<small>() : set_third<large>();
    tile == TileSize::large ? set_second<large>() : set_second<small>();
    tile == TileSize::large ? set_first<large>() : set_first<small>();
    allocate(memory, stream);
    allow_all_shared(first_.split, first_.split_by_vote, second_.split, second_.split_by_vote,
                     third_.sort, third_.sort_by_vote);
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) {
    const PassLauncher launch(stream, programmatic_);
    const Gate gate{other_ != nullptr ? other_->way() : nullptr, Way::two_levels};
    const TiledMatrix a{AnyPointers(in.row_ptr),
                        reinterpret_cast<const unsigned*>(in.col_idx),
                        rows_,
                        nnz_,
                        first_tiles_,
                        groups_,
                        group_bits_,
                        levels_.coarse,
                        first_.wave,
                        row_at_.data(),
                        gate};
    const RunTable coarse{first_runs_.data(), first_tiles_, first_range_.data(), group_.data(),
                          first_begin_.data()};
    const SplitTiles<Value> first{out.row_idx, out.values};
    const CoarseEntries<Value> between{out.row_idx, out.values, coarse, levels_.coarse.low_bits,
                                       group_bits_, nnz_,       gate};
    const SecondTiles seconds{pieces_,
                              starts_.data(),
                              places_.data(),
                              totals_.data(),
                              second_tiles_.data(),
                              part_begin_.data(),
                              gate};
    const RunTable fine{runs_.data(), most_tiles_, range_.data(), nullptr, begin_.data()};
    const SplitTiles<Value> second =
        other_ != nullptr ? other_->between() : SplitTiles<Value>{entries_.data(), values_.data()};
    const int low_bits = levels_.low_bits;
    const Units units{levels_.units.count,
                      levels_.units.width,
                      levels_.within.count,
                      levels_.coarse.count,
                      levels_.per_bucket,
                      part_begin_.data(),
                      gate};
    const Plan plan = plan_.plan({}, {});
    ColumnBuckets columns;  // of a bucket, however many they are
    columns.low_bits = low_bits;
    const BucketInput<Value> input{second, fine, columns, cols_, 0};
    unsigned* const disorder = &plan_.state()->disorder;
    const unsigned* const tile_count = part_begin_.data() + levels_.coarse.count;

    launch.queue(other_ == nullptr ? Begins::after_previous : Begins::early, first_.find_rows,
                 ceil_div(rows_, block_rows), row_threads, 0, a, Band{});
    launch(first_.split, first_tiles_, first_.threads, first_.bytes, a, in.values, first, coarse,
           nullptr, disorder);
    launch(second_.cut, std::size_t{levels_.coarse.count} * pieces_, second_.threads, 0, coarse,
           first_tiles_, seconds);
    launch(second_.number, levels_.coarse.count, second_.threads, 0, seconds, first_tiles_,
           levels_.within.count, fine);
    launch(second_.split, second_.wave, second_.threads, second_.bytes, between,
           second_tiles_.data(), tile_count, levels_.within, low_bits, second, fine, nullptr);
    launch(unit_extents_kernel, ceil_div(levels_.units.count, unsigned{unit_threads / 32}),
           unit_threads, 0, fine, units, plan);
    launch(join_units_kernel, levels_.coarse.count, unit_threads, 0, fine, units, nnz_,
           plan_.chunk_target(), third_.tile, plan_.window(), plan);
    launch(third_.sort, third_.wave, third_.threads, third_.sort_bytes, input, nnz_, plan, out,
           nullptr, disorder);
    if (!vote_) {
      launch(first_.split_by_vote, first_.wave, first_.threads, first_.bytes, a, in.values, first,
             coarse, disorder, disorder);
      launch(second_.split_by_vote, second_.wave, second_.threads, second_.bytes, between,
             second_tiles_.data(), tile_count, levels_.within, low_bits, second, fine, disorder);
      launch(third_.sort_by_vote, third_.wave, third_.threads, third_.sort_bytes, input, nnz_, plan,
             out, disorder, disorder);
    }
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
            {"tiles", static_cast<double>(first_tiles_)}};
  }

 private:
  using Policy = DevicePartitionPolicy;
  static constexpr int large = Policy::large_threads, small = Policy::small_threads;

  struct First {
    int threads;
    unsigned tile, wave;
    std::size_t bytes;
    void (*find_rows)(TiledMatrix, Band);
    decltype(&split_kernel<Value, large, Ranks::by_vote, true>) split, split_by_vote;
  };
  struct Second {
    int threads;
    unsigned tile, wave;
    std::size_t bytes;
    void (*cut)(RunTable, unsigned, SecondTiles);
    void (*number)(SecondTiles, unsigned, unsigned, RunTable);
    decltype(&second_split_kernel<Value, large, Ranks::by_vote>) split, split_by_vote;
  };
  struct Third {
    int threads;
    unsigned tile, wave;
    std::size_t sort_bytes;
    decltype(&bucket_kernel<Value, large, Lies::side_by_side, Ranks::by_vote>) sort, sort_by_vote;
  };

  template <int threads>
  unsigned wave() const {
    return multiprocessors_ * (Policy::block_threads / threads);
  }

  template <int threads>
  void set_third() {
    constexpr unsigned tile = tile_of<Value, threads>;
    levels_ = choose_levels(rows_, cols_, nnz_, tile);
    const unsigned width = levels_.per_bucket * levels_.units.width;
    const bool vote =
        vote_ || levels_.units.width * LevelsPolicy::units_each <= Policy::narrow_bucket;
    third_ = {.threads = threads,
              .tile = tile,
              .wave = wave<threads>(),
              .sort_bytes = bucket_shared_bytes<Value, threads>(width),
              .sort = vote ? bucket_kernel<Value, threads, Lies::side_by_side, Ranks::by_vote>
                           : bucket_kernel<Value, threads, Lies::side_by_side, Ranks::by_addition>,
              .sort_by_vote = bucket_kernel<Value, threads, Lies::side_by_side, Ranks::by_vote>};
  }

  template <int threads>
  void set_second() {
    constexpr unsigned tile = tile_of<Value, threads>;
    second_ = {.threads = threads,
               .tile = tile,
               .wave = wave<threads>(),
               .bytes = tile_bytes<Value, threads>(levels_.within.count, 2 * threads),
               .cut = cut_runs_kernel<threads, tile>,
               .number = number_tiles_kernel<threads>,
               .split = vote_ ? second_split_kernel<Value, threads, Ranks::by_vote>
                              : second_split_kernel<Value, threads, Ranks::by_addition>,
               .split_by_vote = second_split_kernel<Value, threads, Ranks::by_vote>};
  }

  template <int threads>
  void set_first() {
    constexpr unsigned tile = tile_of<Value, threads>;
    first_ = {.threads = threads,
              .tile = tile,
              .wave = wave<threads>(),
              .bytes = tile_bytes<Value, threads>(levels_.coarse.count),
              .find_rows = find_rows_kernel<tile>,
              .split = vote_ ? split_kernel<Value, threads, Ranks::by_vote, true>
                             : split_kernel<Value, threads, Ranks::by_addition, true>,
              .split_by_vote = split_kernel<Value, threads, Ranks::by_vote, true>};
    group_bits_ = std::min(32 - levels_.coarse.low_bits, 31);
    groups_ =
        static_cast<unsigned>(ceil_div(std::uint64_t{rows_}, std::uint64_t{1} << group_bits_));
    first_tiles_ = nnz_ / tile + groups_;
  }

  void allocate(DeviceMemory& m, cudaStream_t s) {
    const std::size_t coarse = levels_.coarse.count;
    pieces_ = ceil_div(first_tiles_, static_cast<unsigned>(second_.threads));
    most_tiles_ = static_cast<unsigned>(most_second_tiles(nnz_, second_.tile, coarse * pieces_));
    first_runs_ = DeviceArray<unsigned>(coarse * first_tiles_, m);
    first_range_ = DeviceArray<unsigned>(std::size_t{first_tiles_}, m);
    first_begin_ = DeviceArray<unsigned>(std::size_t{first_tiles_}, m);
    group_ = DeviceArray<std::uint16_t>(std::size_t{first_tiles_}, m);
    row_at_ = DeviceArray<unsigned>(nnz_ / first_.tile + std::size_t{2}, m);
    first_runs_.fill_bytes(0, s);  // read, not used, where a tile has no entry of the bucket
    starts_ = DeviceArray<unsigned>(coarse * pieces_ * second_.threads, m);
    places_ = DeviceArray<unsigned>(coarse * pieces_ * second_.threads, m);
    totals_ = DeviceArray<uint2>(coarse * pieces_, m);
    second_tiles_ = DeviceArray<SecondTile>(std::size_t{most_tiles_}, m);
    part_begin_ = DeviceArray<unsigned>(coarse + 1, m);
    runs_ = DeviceArray<unsigned>(std::size_t{levels_.within.count} * most_tiles_, m);
    range_ = DeviceArray<unsigned>(std::size_t{most_tiles_}, m);
    begin_ = DeviceArray<unsigned>(std::size_t{most_tiles_}, m);
    const std::size_t slots = other_ != nullptr ? 0 : std::max<std::size_t>(nnz_, third_.tile);
    entries_ = DeviceArray<char>(slots * entry_bytes<Value>, m);
    values_ = DeviceArray<Value>(has_values<Value> && !fused_entry<Value> ? slots : 0, m);
    entries_.fill_bytes(0, s);  // read, not used, where a tile of the bucket pass has no entry
    values_.fill_bytes(0, s);
    plan_.allocate(levels_.units.count, levels_.units.width, nnz_, most_tiles_, third_.tile,
                   third_.threads, m, s);
  }

  unsigned rows_, cols_, nnz_;
  bool vote_;
  bool programmatic_;  // kernels are launched early
  Passes<Offset, Value>* other_;
  TwoLevels levels_;
  int group_bits_ = 0;
  unsigned groups_ = 0, first_tiles_ = 0, pieces_ = 0, most_tiles_ = 0;
  unsigned multiprocessors_ = static_cast<unsigned>(device_limits().multiprocessors);
  First first_{};
  Second second_{};
  Third third_{};
  DeviceArray<unsigned> first_runs_, first_range_, first_begin_, row_at_;
  DeviceArray<std::uint16_t> group_;
  DeviceArray<unsigned> starts_, places_;
  DeviceArray<uint2> totals_;
  DeviceArray<SecondTile> second_tiles_;
  DeviceArray<unsigned> part_begin_, runs_, range_, begin_;
  DeviceArray<char> entries_;  // words, or pairs of word and value
  DeviceArray<Value> values_;  // not in pairs
  PlanBuffers plan_;
};

}  // namespace sparserepro::partition
