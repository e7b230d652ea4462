// The passes of cuda_partition, each a kernel: their buffers and launches.
#pragma once

#include <algorithm>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "formats/csr.hpp"
#include "transpose/cuda_partition/facts.hpp"
#include "transpose/cuda_partition/launch.cuh"
#include "transpose/cuda_partition/one_level/plan_buffers.cuh"
#include "transpose/cuda_partition/one_level/rest.cuh"
#include "transpose/cuda_partition/two_levels/locality.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape. `alone`: there is no other
/// way; else nothing is done with matrices of Way::two_levels.
template <class Offset, class Value>
class Passes {
 public:
  /// Queues the set-up of its workspace on `stream`.
  Passes(index_t rows, index_t cols, Offset nnz, const Options& options, DeviceMemory& memory,
         cudaStream_t stream, bool alone = true)
      : rows_(static_cast<unsigned>(rows)),
        cols_(static_cast<unsigned>(cols)),
        nnz_(static_cast<unsigned>(nnz)),
        tile_(
            fitting_tile(options.tile, value_bytes<Value>, device_limits().shared_bytes_per_block)),
        vote_(options.vote),
        alone_(alone),
        plain_(options.path == Path::one_level),
        programmatic_(options.programmatic) {
    allocate(memory, stream);
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) {
    const Gate gate{way(), Way::one_level};
    PassState* const state = plan_.state();
    const Band band{.buckets = band_.buckets,
                    .reach = band_.reach,
                    .cols = cols_,
                    .begins = band_begins_.data(),
                    .far = &state->band_far,
                    .blocks_done = &state->band_blocks_done,
                    .way = band_.buckets.count > 0 ? &state->way : nullptr,
                    .was_narrow = &state->band_was_narrow};
    TiledMatrix a{AnyPointers(in.row_ptr),
                        reinterpret_cast<const unsigned*>(in.col_idx),
                        rows_,
                        nnz_,
                        tiles_,
                        groups_,
                        group_bits_,
                        buckets_,
                        passes_.wave,
                        row_at_.data()};
    const RunTable table{runs_.data(), tiles_, range_.data(), group_.data(), nullptr};
    const SplitTiles<Value> between = this->between();
    const Plan plan = plan_.plan(gate, band);
    const BucketInput<Value> input{between, table, buckets_, cols_, group_bits_};
    unsigned* const disorder = &state->disorder;

    const Kernels& p = passes_;
    const PassLauncher launch(stream, programmatic_);
    launch.queue(Begins::after_previous, p.find_rows, ceil_div(rows_, block_rows), row_threads, 0,
                 a, band);
    a.gate = gate;
    if (!alone_) {
      launch(p.choose_way, multiprocessors_, locality_threads, 0, a,
             Locality{&state->way, &state->locality_runs, &state->locality_blocks_done,
                      least_local_run(buckets_, nnz_, p.tile)});
    }
    launch(p.split, tiles_, p.threads, p.split_bytes, a, in.values, between, table, nullptr,
           disorder);
    launch(plan_kernel, ceil_div(buckets_.count, unsigned{plan_buckets}), plan_threads, 0, table,
           tiles_, buckets_, plan_.chunk_target(), p.tile, plan_.window(), plan);
    launch(p.sort, p.wave, p.threads, p.sort_bytes, input, nnz_, plan, out, nullptr, disorder);
    if (!vote_ || band.way != nullptr) {
      launch(p.rest, p.wave, p.threads, p.rest_bytes, a, in.values, input, plan, out, disorder,
             vote_);
    }
  }

  /// Where a Way is, if it is found out.
  const unsigned* way() const {
    return alone_ && band_.buckets.count == 0 ? nullptr : &plan_.state()->way;
  }
  /// Room for all entries between the passes, and unless alone for a large tile.
  SplitTiles<Value> between() { return {entries_.data(), between_.data()}; }

  /// Whether the device chose two levels. Waits for all queued kernels.
  bool left(cudaStream_t stream) const {
    return plan_.final_state(stream).way == static_cast<unsigned>(Way::two_levels);
  }

  /// Waits for all queued kernels.
  Facts facts(cudaStream_t stream) const {
    const PassState state = plan_.final_state(stream);
    return {{"band", static_cast<double>(state.band_was_narrow)},
            {"disorder", static_cast<double>(state.disorder)},
            {"sorted_again", static_cast<double>(state.disorder > 0)},
            {"levels", 1},
            {"buckets", static_cast<double>(buckets_.count)},
            {"bucket_columns", static_cast<double>(buckets_.width)},
            {"tiles", static_cast<double>(tiles_)}};
  }

 private:
  using Policy = DevicePartitionPolicy;
  static constexpr int large = Policy::large_threads, small = Policy::small_threads;

  /// The passes with blocks of a number of threads.
  struct Kernels {
    int threads;
    unsigned tile, wave;
    std::size_t split_bytes, sort_bytes, rest_bytes;
    void (*find_rows)(TiledMatrix, Band);
    void (*choose_way)(TiledMatrix, Locality);
    decltype(&split_kernel<Value, large, Ranks::by_vote, false>) split;
    decltype(&bucket_kernel<Value, large, Lies::in_runs, Ranks::by_vote>) sort;
    decltype(&rest_kernel<Value, large, Lies::in_runs>) rest;
  };

  void allocate(DeviceMemory& m, cudaStream_t s) {
    if (tile_ != TileSize::small) {
      choose<large>();
    }
    if (tile_ == TileSize::small ||
        (tile_ == TileSize::automatic &&
         !large_tiles_pay(buckets_, nnz_, value_bytes<Value>, multiprocessors_))) {
      choose<small>();
    }
    const unsigned tile = passes_.tile;
    tiles_ = nnz_ / tile + groups_;
    const std::size_t own_slots = std::size_t{std::max(tiles_, 1U)} * tile;
    const std::size_t slots =
        alone_ ? own_slots : std::max<std::size_t>(own_slots, tile_of<Value, large>);
    runs_ = DeviceArray<unsigned>(std::size_t{buckets_.count} * tiles_, m);
    range_ = DeviceArray<unsigned>(std::size_t{tiles_}, m);
    group_ = DeviceArray<std::uint16_t>(std::size_t{tiles_}, m);
    entries_ = DeviceArray<char>(slots * entry_bytes<Value>, m);
    between_ = DeviceArray<Value>(has_values<Value> && !fused_entry<Value> ? slots : 0, m);
    row_at_ = DeviceArray<unsigned>(nnz_ / tile + std::size_t{2}, m);
    runs_.fill_bytes(0, s);
    entries_.fill_bytes(0, s);  // read, not used, where a tile of the bucket pass has no entry
    between_.fill_bytes(0, s);
    plan_.allocate(buckets_.count, buckets_.width, nnz_, tiles_, tile, passes_.threads, m, s);
    band_begins_ = DeviceArray<unsigned>(std::size_t{band_.buckets.count}, m);
    band_begins_.fill_bytes(0, s);
    allow_all_shared(passes_.split, passes_.sort, passes_.rest);
  }

  /// Divides the columns, and sets the passes, for blocks of `threads`.
  template <int threads>
  void choose() {
    constexpr unsigned tile = tile_of<Value, threads>;
    const unsigned wave = multiprocessors_ * (Policy::block_threads / threads);
    buckets_ = choose_buckets(cols_, nnz_, tile, wave);
    band_ = threads == large && !plain_ ? choose_band(rows_, cols_, nnz_, tile, value_bytes<Value>)
                                        : BandShape{};
    group_bits_ = std::min(32 - buckets_.low_bits, 31);
    groups_ =
        static_cast<unsigned>(ceil_div(std::uint64_t{rows_}, std::uint64_t{1} << group_bits_));
    groups_ > 1 ? set_passes<threads, Lies::in_groups>(wave)
                : set_passes<threads, Lies::in_runs>(wave);
  }

  template <int threads, Lies lies>
  void set_passes(unsigned wave) {
    constexpr unsigned tile = tile_of<Value, threads>;
    static_assert(static_cast<std::int64_t>(bucket_shared_bytes<Value, threads>(
                      Policy::largest_digits)) < most_shared_bytes(value_bytes<Value>, threads));
    const bool vote = vote_ || buckets_.width <= Policy::narrow_bucket;
    const std::size_t split_bytes = tile_bytes<Value, threads>(buckets_.count);
    const std::size_t sort_bytes = bucket_shared_bytes<Value, threads>(buckets_.width);
    const std::size_t band_bytes =
        band_.buckets.count > 0 ? bucket_shared_bytes<Value, threads>(band_.buckets.width) : 0;
    passes_ = {.threads = threads,
               .tile = tile,
               .wave = wave,
               .split_bytes = split_bytes,
               .sort_bytes = sort_bytes,
               .rest_bytes = std::max({split_bytes, sort_bytes, band_bytes}),
               .find_rows = find_rows_kernel<tile>,
               .choose_way = choose_way_kernel<tile>,
               .split = vote_ ? split_kernel<Value, threads, Ranks::by_vote, false>
                              : split_kernel<Value, threads, Ranks::by_addition, false>,
               .sort = vote ? bucket_kernel<Value, threads, lies, Ranks::by_vote>
                            : bucket_kernel<Value, threads, lies, Ranks::by_addition>,
               .rest = rest_kernel<Value, threads, lies>};
  }

  unsigned rows_, cols_, nnz_;
  TileSize tile_;
  bool vote_, alone_, plain_;  // plain: no band is looked for
  bool programmatic_;          // kernels are launched early
  ColumnBuckets buckets_;
  BandShape band_;
  int group_bits_ = 0;
  unsigned groups_ = 0, tiles_ = 0;
  unsigned multiprocessors_ = static_cast<unsigned>(device_limits().multiprocessors);
  Kernels passes_{};
  DeviceArray<unsigned> runs_, range_, row_at_;
  DeviceArray<std::uint16_t> group_;
  DeviceArray<char> entries_;   // words, or pairs of word and value
  DeviceArray<Value> between_;  // values not in pairs
  DeviceArray<unsigned> band_begins_;
  PlanBuffers plan_;
};

}  // namespace sparserepro::partition
