// Transposition as a merge sort by column with Merge Path: tiles of entries are sorted by column,
// then up to 768 sorted runs are merged at a time. Each block writes an equal tile of the output.
//
//   1. sort     a block sorts a tile of A's entries by column in shared memory, by counting; if too
//               many keys share a bucket, it divides the buckets and counts again, or merges lists
//   2. divide   a block finds where one tile of the merged output begins in each of the k runs, by
//               bisection over panels of columns, whose beginnings in the runs are stored, then
//               over the columns of one panel or by counting the entries of the panel by column
//   3. merge    a block copies its parts of the k runs to shared memory. It merges up to 16 parts
//               in pairs, in ceil(log2 k) rounds, with an equal part of the output for each thread;
//               it sorts more parts by counting, as in step 1
//
// Steps 2 and 3 are repeated until one run is left; the last merge writes A^T.
//
// Bytes an entry, with V bytes a value and L levels of merging:
//
//   (4 + V) + (8 + V) + 2 L (8 + V) - 4
//
// (the last level writes no columns), and 8 bytes for each panel of each run and for each run and
// tile of output. L = 1 up to 11.7M entries with tiles of 15,360, then 2. L = 1 gives 40 bytes for
// fp32 and 56 for fp64; the minimum is 16 and 24. Merges of two runs need 10 levels for 10M
// entries.
//
// Source: transposition seed III-C and VIII, which proposes Merge Path; Odeh, Green, Mwassi,
// Shmueli, Birk, IPDPS workshops 2012. MergeTrans of Wang et al., ICS'16, 4.2, adds column pointers
// of tiles instead of comparing columns; it needs a pointer array for each tile.
#include <algorithm>
#include <string>

#include "cuda/block_size.hpp"
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"
#include "transpose/papers/device_limits.hpp"
#include "transpose/tile_parameter.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "transpose/cuda_run.cuh"
#include "transpose/papers/cuda_mergetrans_mergepath/kernels.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaMergetransMergepath final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaMergetransMergepath(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        sort_threads_(static_cast<unsigned>(MergepathPolicy::sort_threads(
            params.text("tile") == "auto", params.text("tile") == "large", a.cols, a.nnz(),
            gpu_info()->multiprocessors, gpu_info()->shared_bytes_per_block))),
        merge_threads_(static_cast<unsigned>(params.integer("block_size"))),
        run_(static_cast<unsigned>(MergepathPolicy::tile(sort_threads_))),
        tile_(static_cast<unsigned>(MergepathPolicy::tile(merge_threads_))),
        run_count_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz(), run_))),
        tile_count_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz(), tile_))),
        levels_(run_count_, params.integer("ways")) {
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
      first_ = DeviceBuffer<unsigned>(std::size_t{tile_count_}, s);
      std::int64_t cells = 0;
      for (int level = 1; level <= levels_.count; ++level) {
        cells = std::max(cells, panel_size(level).count * groups(level) * levels_.ways);
      }
      panel_starts_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(cells), s);
    }
    with_sort_shape(
        [&]<class Shape>(Shape) { allow_all_shared(mergepath::sort_tiles_kernel<Shape, Value>); });
    with_merge_shape(
        [&]<class Shape>(Shape) { allow_all_shared(mergepath::merge_runs_kernel<Shape, Value>); });
  }

  void execute() override {
    if (this->a().nnz == 0) {
      this->write_empty();
    } else {
      transpose();
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(columns_[0].bytes() + columns_[1].bytes() + rows_.bytes() +
                                     between_.bytes() + splits_.bytes() + first_.bytes() +
                                     panel_starts_.bytes());
  }

  Measures measures() const override {
    return {{"merge_levels", static_cast<double>(levels_.count)},
            {"merge_ways", static_cast<double>(levels_.ways)}};
  }

 private:
  /// Calls `function` with the shape of the tiles of step 1.
  template <class Function>
  void with_sort_shape(const Function& function) const {
    const auto sized = [&]<int threads>(std::integral_constant<int, threads>) {
      MergepathPolicy::wide_keys(this->a().cols, threads)
          ? function(mergepath::Shape<threads, true>{})
          : function(mergepath::Shape<threads, false>{});
    };
    sort_threads_ == MergepathPolicy::large_threads
        ? sized(std::integral_constant<int, MergepathPolicy::large_threads>{})
        : sized(std::integral_constant<int, MergepathPolicy::small_threads>{});
  }
  /// Calls `function` with the shape of the tiles of merged output. Their columns usually lie close
  /// together, so their keys fit 32 bits.
  template <class Function>
  void with_merge_shape(const Function& function) const {
    merge_threads_ == 256 ? function(mergepath::Shape<256, false>{})
                          : function(mergepath::Shape<512, false>{});
  }
  /// Bytes of shared memory of a merging block: the tile and the sources of its parts.
  template <class Shape>
  static std::size_t merge_shared_bytes(std::int64_t ways) {
    return Shape::shared_bytes + static_cast<std::size_t>(ways) * sizeof(unsigned);
  }

  /// Number of sorted tiles in a run that is merged at `level`, 1 to levels_.count.
  std::int64_t run_tiles(int level) const {
    std::int64_t tiles = 1;
    for (int l = 1; l < level; ++l) {
      tiles *= levels_.ways;
    }
    return tiles;
  }
  std::int64_t groups(int level) const {
    return ceil_div<std::int64_t>(run_count_, run_tiles(level) * levels_.ways);
  }
  PanelSize panel_size(int level) const { return {this->a().cols, run_tiles(level) * run_}; }
  /// Panels of the runs that are merged at `level`; none after the last level.
  mergepath::Panels panels(int level) {
    if (level > levels_.count) {
      return {};
    }
    const PanelSize size = panel_size(level);
    return {panel_starts_.data(), size.shift, static_cast<unsigned>(size.count),
            static_cast<unsigned>(levels_.ways)};
  }

  /// Output of step `step`, 0 (sort) to levels_.count: the last one writes A^T, the others write to
  /// the workspace and to the arrays of A^T alternately.
  mergepath::Entries<Value> written_by(int step) {
    unsigned* const columns = step == levels_.count ? nullptr : columns_[step % 2].data();
    if ((levels_.count - step) % 2 == 0) {
      return {columns, reinterpret_cast<unsigned*>(this->row_idx()), this->values()};
    }
    return {columns, rows_.data(), between_.data()};
  }

  void transpose() {
    const auto in = this->a();
    const cudaStream_t s = this->stream();
    const mergepath::Tiles tiles{static_cast<unsigned>(in.nnz), static_cast<unsigned>(in.cols),
                                 tile_};
    const mergepath::Source<Value> source{AnyPointers(in.row_ptr), static_cast<unsigned>(in.rows),
                                          reinterpret_cast<const unsigned*>(in.col_idx), in.values};
    const AnyPointers col_ptr(this->col_ptr());
    with_sort_shape([&]<class Shape>(Shape) {
      mergepath::sort_tiles_kernel<Shape, Value>
          <<<run_count_, Shape::threads, Shape::shared_bytes, s>>>(tiles, source, written_by(0),
                                                                   panels(1), col_ptr);
    });
    CUDA_CHECK_LAUNCH();
    for (int level = 1; level <= levels_.count; ++level) {
      const std::int64_t length = run_tiles(level) * run_;
      const mergepath::Runs runs{static_cast<unsigned>(length), static_cast<unsigned>(levels_.ways),
                                 static_cast<unsigned>(length * levels_.ways / tile_)};
      divide(level, tiles, runs);
      with_merge_shape([&]<class Shape>(Shape) {
        mergepath::merge_runs_kernel<Shape, Value>
            <<<tile_count_, Shape::threads, merge_shared_bytes<Shape>(levels_.ways), s>>>(
                tiles, runs, splits_.data(), first_.data(), written_by(level - 1),
                written_by(level), panels(level + 1), col_ptr);
      });
      CUDA_CHECK_LAUNCH();
    }
  }

  void divide(int level, const mergepath::Tiles& tiles, const mergepath::Runs& runs) {
    const auto each = [&]<int n>(std::integral_constant<int, n>) {
      mergepath::divide_runs_kernel<n>
          <<<tile_count_, MergepathPolicy::divide_threads, 0, this->stream()>>>(
              tiles, runs, panels(level), written_by(level - 1).columns, splits_.data(),
              first_.data());
      CUDA_CHECK_LAUNCH();
    };
    const std::int64_t least =
        ceil_div<std::int64_t>(levels_.ways, MergepathPolicy::divide_threads);
    least <= 1   ? each(std::integral_constant<int, 1>{})
    : least <= 2 ? each(std::integral_constant<int, 2>{})
    : least <= 4 ? each(std::integral_constant<int, 4>{})
    : least <= 8 ? each(std::integral_constant<int, 8>{})
                 : each(std::integral_constant<int, 16>{});
  }

  unsigned sort_threads_, merge_threads_;
  unsigned run_, tile_;  // entries of a sorted tile and of a tile of merged output
  unsigned run_count_, tile_count_;
  MergeLevels levels_;
  DeviceBuffer<unsigned> columns_[2];    // [nnz] of the runs, source and target of a merge
  DeviceBuffer<unsigned> rows_;          // [nnz]
  DeviceBuffer<Value> between_;          // [nnz] values
  DeviceBuffer<unsigned> splits_;        // [tiles][ways]
  DeviceBuffer<unsigned> first_;         // [tiles] column of the first entry
  DeviceBuffer<unsigned> panel_starts_;  // [groups][panels][ways]
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

/// "" or, if a tile exceeds the shared memory of the device, a message that says so.
std::string mergepath_memory_refusal(const TransposeProblem& problem, const Params& params) {
  using Policy = MergepathPolicy;
  const int threads =
      params.text("tile") == "large" ? Policy::large_threads : Policy::small_threads;
  const std::int64_t sorted =
      Policy::shared_bytes(threads, Policy::wide_keys(problem.shape().cols, threads));
  const std::int64_t merged =
      Policy::shared_bytes(params.integer("block_size"), false) + 4 * Policy::most_ways;
  return shared_memory_refusal(std::max(sorted, merged),
                               "tiles of " + std::to_string(threads) + " threads");
}

}  // namespace

Algorithm<TransposeProblem> transpose_cuda_mergetrans_mergepath() {
  return {.name = "cuda_mergetrans_mergepath",
          .summary = "tiles sorted by column, merged many at a time by Merge Path",
          .source = "transposition seed III-C, VIII; Odeh et al., IPDPSW 2012",
          .backend = Backend::cuda,
          .parameters = {{"block_size",
                          std::int64_t{512},
                          {std::int64_t{256}, std::int64_t{512}},
                          "threads per block"},
                         tile_parameter(),
                         {"ways",
                          std::int64_t{MergepathPolicy::ways},
                          {std::int64_t{16}, std::int64_t{128}, std::int64_t{MergepathPolicy::ways},
                           std::int64_t{MergepathPolicy::most_ways}},
                          "largest number of runs that one merge joins"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            const std::string reason = entries_refusal(problem, params);
            return reason.empty() ? mergepath_memory_refusal(problem, params) : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_transpose<CudaMergetransMergepath>
#endif
  };
}

}  // namespace sparserepro
