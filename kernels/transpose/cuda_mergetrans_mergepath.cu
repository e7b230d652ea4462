// MergeTrans by Merge Path: tiles of the entries are sorted by column, then runs of tiles merged,
// up to 128 at a time, each block writing an equal part of the output.
//
//   1. sort     a block puts a tile of A's entries in order of columns in shared memory, by
//               counting, as the paper transposes a tile; where keys crowd together, by odd-even
//               transposition of the 15 entries of a thread and merges of pairs of lists
//   2. divide   a warp per tile of the merged output finds where it begins in each of the k runs,
//               by bisection over the columns, which tables of where panels of columns begin
//               shorten
//   3. merge    a block brings its parts of the k runs to shared memory. Up to 16 it merges in
//               pairs, in ceil(log2) rounds, each thread an equal part along a diagonal; of more
//               it finds the place of each entry by counting the smaller ones, as in 1. 2 and 3
//               are repeated until one run is left, and the last time write A^T
//
// Bytes per entry with V bytes per value and L levels: (4 + V) + (8 + V) for the sort, 2 (8 + V)
// for each level, less 4 for the columns that the last one does not write; L = 2 up to 62.9M
// entries, then 3, with tiles of 3840. So 64 for fp32 and 88 for fp64 with two levels, where 16 and
// 24 are the least. Merging two at a time, as the seed does, needs 12 levels for 10M entries.
//
// Source: transposition seed III-C and VIII, which proposes Merge Path; Odeh, Green, Mwassi,
// Shmueli, Birk, IPDPS workshops 2012; Wang et al., ICS'16, 4.2, whose MergeTrans adds up column
// pointers of tiles instead of comparing columns: that takes a pointer array per tile.
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/device_limits.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "transpose/cuda_mergepath_kernels.cuh"
#include "transpose/cuda_transpose_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaMergetransMergepath final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaMergetransMergepath(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        threads_(static_cast<unsigned>(params.integer("block_size"))),
        tile_(static_cast<unsigned>(MergepathPolicy::tile(threads_))),
        tile_count_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz(), tile_))),
        levels_(tile_count_) {
    const auto entries = static_cast<std::size_t>(a.nnz());
    const cudaStream_t s = this->stream();
    for (int i = 0; i < std::min(levels_.count, 2); ++i) {
      columns_[i] = DeviceBuffer<unsigned>(entries, s);
    }
    if (levels_.count > 0) {
      rows_ = DeviceBuffer<unsigned>(entries, s);
      between_ = DeviceBuffer<Value>(a.values.size(), s);
      splits_ = DeviceBuffer<unsigned>(
          static_cast<std::size_t>(tile_count_ * std::int64_t{levels_.ways}), s);
      std::int64_t cells = 0;
      for (int level = 1; level <= levels_.count; ++level) {
        cells = std::max(cells, panel_size(level).count * groups(level) * levels_.ways);
      }
      panel_starts_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(cells), s);
    }
    with_shape([&]<class Shape>(Shape) {
      allow_shared_bytes(mergepath::sort_tiles_kernel<Shape, Value>, shared_bytes<Shape>());
      allow_shared_bytes(mergepath::merge_runs_kernel<Shape, Value>, shared_bytes<Shape>());
    });
  }

  void execute() override {
    if (this->a().nnz == 0) {
      this->write_empty();
    } else {
      with_shape([&]<class Shape>(Shape) { transpose<Shape>(); });
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(columns_[0].bytes() + columns_[1].bytes() + rows_.bytes() +
                                     between_.bytes() + splits_.bytes() + panel_starts_.bytes());
  }

  Measures measures() const override {
    return {{"merge_levels", static_cast<double>(levels_.count)},
            {"merge_ways", static_cast<double>(levels_.ways)}};
  }

 private:
  /// Calls `function` with the shape that the tile has.
  template <class Function>
  void with_shape(const Function& function) const {
    const auto sized = [&]<int threads>(std::integral_constant<int, threads>) {
      const int key_bits = bits_below(static_cast<std::uint64_t>(this->a().cols)) +
                           MergepathPolicy::slot_bits(threads);
      key_bits <= 32 ? function(mergepath::Shape<threads, false>{})
                     : function(mergepath::Shape<threads, true>{});
    };
    switch (threads_) {
      case 128:
        return sized(std::integral_constant<int, 128>{});
      case 256:
        return sized(std::integral_constant<int, 256>{});
      default:
        return sized(std::integral_constant<int, 512>{});
    }
  }
  template <class Shape>
  static constexpr std::size_t shared_bytes() {
    return Shape::template shared_bytes<Value>();
  }

  /// Tiles of a run that enters merge level `level`, 1 to levels_.count.
  std::int64_t run_tiles(int level) const {
    std::int64_t tiles = 1;
    for (int l = 1; l < level; ++l) {
      tiles *= levels_.ways;
    }
    return tiles;
  }
  std::int64_t groups(int level) const {
    return ceil_div<std::int64_t>(tile_count_, run_tiles(level) * levels_.ways);
  }
  PanelSize panel_size(int level) const { return {this->a().cols, run_tiles(level) * tile_}; }
  /// Panels of the runs that enter `level`; none after the last.
  mergepath::Panels panels(int level) {
    if (level > levels_.count) {
      return {};
    }
    const PanelSize size = panel_size(level);
    return {panel_starts_.data(), size.shift, static_cast<unsigned>(size.count),
            static_cast<unsigned>(levels_.ways)};
  }

  /// What step `step` writes, of steps 0 (sort) to levels_.count: the last one A^T, and in between
  /// in turns A^T's arrays and the workspace.
  mergepath::Entries<Value> written_by(int step) {
    unsigned* const columns = step == levels_.count ? nullptr : columns_[step % 2].data();
    if ((levels_.count - step) % 2 == 0) {
      return {columns, reinterpret_cast<unsigned*>(this->row_idx()), this->values()};
    }
    return {columns, rows_.data(), between_.data()};
  }

  template <class Shape>
  void transpose() {
    const auto in = this->a();
    const cudaStream_t s = this->stream();
    const mergepath::Tiles tiles{static_cast<unsigned>(in.nnz), static_cast<unsigned>(in.cols),
                                 tile_};
    const rows::Pointers row_ptr{in.row_ptr, sizeof(Offset) == 8};
    const mergepath::OutPointers col_ptr{this->col_ptr(), sizeof(Offset) == 8};
    mergepath::sort_tiles_kernel<Shape, Value><<<tile_count_, threads_, shared_bytes<Shape>(), s>>>(
        tiles, row_ptr, static_cast<unsigned>(in.rows),
        reinterpret_cast<const unsigned*>(in.col_idx), in.values, written_by(0), panels(1),
        col_ptr);
    CUDA_CHECK_LAUNCH();
    for (int level = 1; level <= levels_.count; ++level) {
      const std::int64_t run = run_tiles(level);
      merge_level<Shape>(level, tiles,
                         {static_cast<unsigned>(run * tile_), static_cast<unsigned>(levels_.ways),
                          static_cast<unsigned>(run * levels_.ways)},
                         col_ptr);
    }
  }

  template <class Shape>
  void merge_level(int level, const mergepath::Tiles& tiles, const mergepath::Runs& runs,
                   const mergepath::OutPointers& col_ptr) {
    constexpr unsigned divide_threads = 128;
    const cudaStream_t s = this->stream();
    const auto from = written_by(level - 1);
    mergepath::divide_runs_kernel<>
        <<<ceil_div(tile_count_, divide_threads / 32), divide_threads, 0, s>>>(
            tiles, runs, panels(level), from.columns, tile_count_, splits_.data());
    CUDA_CHECK_LAUNCH();
    mergepath::merge_runs_kernel<Shape, Value><<<tile_count_, threads_, shared_bytes<Shape>(), s>>>(
        tiles, runs, splits_.data(), from, written_by(level), panels(level + 1), col_ptr);
    CUDA_CHECK_LAUNCH();
  }

  unsigned threads_, tile_, tile_count_;
  MergeLevels levels_;
  DeviceBuffer<unsigned> columns_[2];  // [nnz] of the runs, in turns
  DeviceBuffer<unsigned> rows_;        // [nnz]
  DeviceBuffer<Value> between_;        // [nnz] values
  DeviceBuffer<unsigned> splits_;      // [tiles][ways]
  DeviceBuffer<unsigned> panel_starts_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cuda_mergetrans_mergepath() {
  return {.name = "cuda_mergetrans_mergepath",
          .summary = "tiles sorted by column, merged many at a time by Merge Path",
          .source = "transposition seed III-C, VIII; Odeh et al., IPDPSW 2012",
          .backend = Backend::cuda,
          .parameters = {{"block_size",
                          std::int64_t{256},
                          {std::int64_t{128}, std::int64_t{256}, std::int64_t{512}},
                          "threads of a block"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = entries_refusal,
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_transpose<CudaMergetransMergepath>
#endif
  };
}

}  // namespace sparserepro
