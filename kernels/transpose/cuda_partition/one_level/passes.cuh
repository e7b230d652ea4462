// The passes of cuda_partition, each a kernel: their buffers and launches.
#pragma once

#include <algorithm>

#include "cuda/device_memory.hpp"
#include "formats/csr.hpp"
#include "transpose/cuda_partition/launch.cuh"
#include "transpose/cuda_partition/one_level/find_rows.cuh"
#include "transpose/cuda_partition/one_level/wave.cuh"
#include "transpose/cuda_partition/symmetric/symmetric.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape.
template <class Offset, class Value>
class Passes {
 public:
  /// Queues the set-up of its workspace on `stream`.
  Passes(index_t rows, index_t cols, Offset nnz, const Options& options, DeviceMemory& memory,
         cudaStream_t stream)
      : options_(options), symmetric_(options.path == Path::symmetric) {
    const TileSize tile =
        fitting_tile(options.tile, value_bytes<Value>, device_limits().shared_bytes_per_block);
    const std::int64_t multiprocessors = device_limits().multiprocessors;
    if (tile != TileSize::small) {
      divide<Large>(rows, cols, nnz);
      const bool pay = large_tiles_pay(a_.buckets, nnz, value_bytes<Value>, multiprocessors);
      kind_ = tile == TileSize::large || pay ? Kind::large : Kind::small;
    }
    const auto try_few = [&]<class Shape>(Kind kind) {
      if (kind_ == Kind::small) {
        divide<Shape>(rows, cols, nnz);
        if (a_.groups == 1 && few_tiles_pay(a_.buckets, nnz, multiprocessors, Shape::items) &&
            wave_fits<Shape>()) {
          kind_ = kind;
        }
      }
    };
    if (tile == TileSize::automatic && !options.vote && !symmetric_) {
      try_few.template operator()<Few<0>>(Kind::fewest);
      try_few.template operator()<Few<1>>(Kind::fewer);
      try_few.template operator()<Few<2>>(Kind::few);
    }
    if (kind_ == Kind::small) {
      divide<Small>(rows, cols, nnz);
    }
    with_kind([&]<class Shape, bool grouped> {
      allocate<Shape>(memory, stream);
      if constexpr (!Shape::wave) {
        allow_all_shared(split_kernel<Value, Shape, Ranks::by_addition>,
                         bucket_kernel<Value, Shape, grouped, Ranks::by_addition>,
                         rest_kernel<Value, Shape, grouped>);
      }
      if constexpr (may_vote<Shape>) {
        allow_all_shared(split_kernel<Value, Shape, Ranks::by_vote>,
                         bucket_kernel<Value, Shape, grouped, Ranks::by_vote>,
                         unsymmetric_kernel<Value, Shape, grouped>);
      }
    });
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) const {
    with_kind([&]<class Shape, bool grouped> { queue<Shape, grouped>(in, out, stream); });
  }

  /// Waits for all queued kernels.
  Facts facts(cudaStream_t stream) const {
    PassState state;
    state_.copy_to(&state, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return {{"band", static_cast<double>(state.is_band)},
            {"symmetric", static_cast<double>(state.symmetric)},
            {"disorder", static_cast<double>(state.disorder)},
            {"sorted_again", static_cast<double>(state.disorder > 0 && !symmetric_)},
            {"buckets", static_cast<double>(a_.buckets.count)},
            {"bucket_columns", static_cast<double>(a_.buckets.width)},
            {"tiles", static_cast<double>(a_.tiles)}};
  }

 private:
  using Policy = DevicePartitionPolicy;
  static constexpr int items = Policy::items(value_bytes<Value>);
  using Large = TileShape<Policy::large_threads, items>;
  using Small = TileShape<Policy::small_threads, items>;
  template <int k>
  using Few = TileShape<Policy::small_threads, Policy::few_items[k], true>;
  enum class Kind { fewest, fewer, few, small, large };
  /// Few entries are not ranked by votes at first.
  template <class Shape>
  static constexpr bool may_vote = Shape::items == items;
  /// Tiles of a wave's split have what the sort's are to be filled with.
  template <class Shape>
  using Part = TileShape<Shape::threads, ceil_div(Policy::few_fill* Shape::items, 100), true>;

  /// Calls use<Shape, grouped>().
  template <class Use>
  void with_kind(const Use& use) const {
    const auto with_shape = [&]<class Shape> {
      a_.groups > 1 ? use.template operator()<Shape, true>()
                    : use.template operator()<Shape, false>();
    };
    kind_ == Kind::large   ? with_shape.template operator()<Large>()
    : kind_ == Kind::small ? with_shape.template operator()<Small>()
    : kind_ == Kind::few   ? use.template operator()<Few<2>, false>()
    : kind_ == Kind::fewer ? use.template operator()<Few<1>, false>()
                           : use.template operator()<Few<0>, false>();
  }

  /// Divides rows, entries and columns, for tiles of this shape.
  template <class Shape>
  void divide(index_t rows, index_t cols, Offset nnz) {
    constexpr unsigned tile = Shape::entries;
    static_assert(
        static_cast<std::int64_t>(std::max(bucket_shared_bytes<Value, Shape>(Policy::largest_width),
                                           tile_bytes<Value, Shape>(Policy::most_buckets))) <
        most_shared_bytes(value_bytes<Value>, Shape::threads));
    const auto wave = static_cast<unsigned>(device_limits().multiprocessors *
                                            (Policy::block_threads / Shape::threads));
    const ColumnBuckets buckets = choose_buckets(
        cols, nnz, tile, wave, Shape::items < items ? Policy::few_fill : Policy::wave_fill);
    const int group_bits = std::min(32 - buckets.low_bits, 31);
    const auto groups = static_cast<unsigned>(((rows - 1) >> group_bits) + 1);
    size_ = Shape::wave ? ceil_div(ceil_div(static_cast<unsigned>(nnz), wave), 32U) * 32 : tile;
    // Each group ends a tile, and may leave one empty.
    a_ = {.rows = static_cast<unsigned>(rows),
          .cols = static_cast<unsigned>(cols),
          .nnz = static_cast<unsigned>(nnz),
          .tiles = Shape::wave ? ceil_div(static_cast<unsigned>(nnz), size_)
                               : static_cast<unsigned>(nnz / tile) + groups,
          .groups = groups,
          .group_bits = group_bits,
          .buckets = buckets,
          .wave = wave};
    if (Shape::threads == Policy::large_threads && options_.path == Path::automatic) {
      a_.band = choose_band(rows, cols, nnz, tile, value_bytes<Value>);
    }
  }

  template <class Shape>
  void allocate(DeviceMemory& m, cudaStream_t stream) {
    constexpr unsigned tile = Shape::entries;
    const std::size_t tiles = a_.tiles, buckets = a_.buckets.count, width = a_.buckets.width;
    const std::size_t room = tiles * size_;
    entries_ = DeviceArray<char>(room * entry_bytes<Value>, m);
    values_ = DeviceArray<Value>(has_values<Value> && !fused_entry<Value> ? room : 0, m);
    runs_ = DeviceArray<unsigned>(buckets * tiles, m);
    range_ = DeviceArray<uint2>(tiles, m);
    group_ = DeviceArray<std::uint16_t>(tiles, m);
    row_at_ = DeviceArray<unsigned>(Shape::wave ? 0 : a_.nnz / tile + std::size_t{2}, m);
    a_.row_at = row_at_.data();
    const auto target = Shape::wave ? tile * Policy::few_chunk_fill / 100
                                    : static_cast<unsigned>(chunk_entries(tile, a_.buckets.width));
    const unsigned window = Policy::runs_per_thread * unsigned{Shape::threads};
    std::size_t partial = buckets + a_.nnz / target + 1;
    if (tiles <= window) {  // else a bucket may have several chunks because it spans more
      partial = std::min<std::size_t>(partial, 2 * std::size_t{a_.nnz} / target + 1);
    }
    chunks_ = DeviceArray<Chunk>(buckets + partial, m);
    column_counts_ = DeviceArray<unsigned>(partial * width, m);
    state_ = DeviceArray<PassState>(std::size_t{1}, m);
    plan_ = {state_.data(),
             chunks_.data(),
             column_counts_.data(),
             a_.buckets.count,
             a_.buckets.width,
             tile,
             target,
             window};
    state_.fill_bytes(0, stream);  // what follows is read, and not used, where there is no entry
    runs_.fill_bytes(0, stream);
    entries_.fill_bytes(0, stream);
    values_.fill_bytes(0, stream);
  }

  /// Shared memory of a wave; whether the device holds its blocks.
  template <class Shape>
  std::size_t wave_bytes() const {
    return std::max(tile_bytes<Value, Part<Shape>>(a_.buckets.count),
                    bucket_shared_bytes<Value, Shape>(a_.buckets.width));
  }
  template <class Shape>
  bool wave_fits() const {
    if constexpr (Shape::wave) {
      const auto kernel = wave_kernel<Value, Part<Shape>, Shape>;
      allow_all_shared(kernel);
      const int held = resident_blocks(kernel, Shape::threads, wave_bytes<Shape>());
      return a_.wave <= unsigned{Shape::threads} && static_cast<unsigned>(held) >= a_.wave;
    }
    return true;
  }

  template <class Shape, bool grouped>
  void queue(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
             cudaStream_t stream) const {
    TiledMatrix a = a_;
    a.row_ptr = AnyPointers(in.row_ptr);
    a.col_idx = reinterpret_cast<const unsigned*>(in.col_idx);
    const SplitTiles<Value> between{entries_.data(),
                                    values_.data(),
                                    {runs_.data(), a.tiles, range_.data(), group_.data(), size_}};
    const PassLauncher launch(stream, options_.programmatic);
    if constexpr (may_vote<Shape>) {
      if (symmetric_) {
        queue_symmetric<Shape, grouped>(launch, a, in.values, between, out);
        return;
      }
    }
    if constexpr (Shape::wave) {
      launch.queue(Begins::together, wave_kernel<Value, Part<Shape>, Shape>, a.wave, Shape::threads,
                   wave_bytes<Shape>(), a, in.values, between, plan_, out);
    } else {
      queue_passes<Shape, grouped>(launch, a, in.values, between, out);
    }
  }

  template <class Shape, bool grouped>
  void queue_symmetric(const PassLauncher& launch, const TiledMatrix& a, const Value* values,
                       const SplitTiles<Value>& between, const BucketOutput<Value>& out) const {
    constexpr std::int64_t entries = symmetric_span * (symmetric_threads / 32);
    launch.queue(Begins::after_previous, symmetric_kernel<Value>,
                 ceil_div(std::int64_t{a.nnz}, entries), symmetric_threads, 0, a, values, out,
                 plan_.state);
    launch(unsymmetric_kernel<Value, Shape, grouped>, a.wave, Shape::threads,
           std::max(tile_bytes<Value, Shape>(a.buckets.count),
                    bucket_shared_bytes<Value, Shape>(a.buckets.width)),
           a, values, between, plan_, out);
  }

  template <class Shape, bool grouped>
  void queue_passes(const PassLauncher& launch, const TiledMatrix& a, const Value* values,
                    const SplitTiles<Value>& between, const BucketOutput<Value>& out) const {
    const bool look = a.band.buckets.count > 0;
    const std::size_t split_bytes = tile_bytes<Value, Shape>(a.buckets.count);
    const std::size_t sort_bytes = bucket_shared_bytes<Value, Shape>(a.buckets.width);
    const std::size_t band_bytes = bucket_shared_bytes<Value, Shape>(a.band.buckets.width);
    launch.queue(Begins::after_previous, find_rows_kernel<Shape::entries>,
                 ceil_div(a.rows, block_rows), row_threads, 0, a, plan_.state);
    auto* split = split_kernel<Value, Shape, Ranks::by_addition>;
    auto* sort = bucket_kernel<Value, Shape, grouped, Ranks::by_addition>;
    if constexpr (may_vote<Shape>) {
      split = options_.vote ? split_kernel<Value, Shape, Ranks::by_vote> : split;
      if (options_.vote || a.buckets.width <= Policy::narrow_bucket) {
        sort = bucket_kernel<Value, Shape, grouped, Ranks::by_vote>;
      }
    }
    launch(split, a.tiles, Shape::threads, split_bytes, a, values, between, plan_.state);
    launch(plan_kernel, ceil_div(a.buckets.count, unsigned{plan_buckets}), plan_threads, 0, a,
           between.table, plan_);
    const bool followed = !options_.vote || look;
    launch(sort, a.wave, Shape::threads, sort_bytes, a, between, plan_, out, followed);
    if (followed) {
      launch(rest_kernel<Value, Shape, grouped>, a.wave, Shape::threads,
             std::max({split_bytes, sort_bytes, band_bytes}), a, values, between, plan_, out,
             options_.vote);
    }
  }

  Options options_;
  bool symmetric_;  ///< by what the caller says
  Kind kind_ = Kind::small;
  TiledMatrix a_{};    ///< without arrays of A
  unsigned size_ = 0;  ///< entries from one tile's place to the next
  Plan plan_{};
  DeviceArray<char> entries_;  // words, or pairs of word and value
  DeviceArray<Value> values_;  // [room] not in pairs
  DeviceArray<unsigned> runs_, row_at_, column_counts_;
  DeviceArray<uint2> range_;
  DeviceArray<std::uint16_t> group_;
  DeviceArray<Chunk> chunks_;
  DeviceArray<PassState> state_;
};

}  // namespace sparserepro::partition
