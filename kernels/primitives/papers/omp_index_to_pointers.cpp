// Index to pointers: pointers[b] = #{i : index[i] < b} for b in [0, bins].
//
//   1. count      thread t counts its part of the index: partial[t][b] = elements equal to b
//   2. vertical   a prefix sum down each column of `partial`; its last row holds the totals
//   3. scan       pointers = prefix sum of the totals
//
// Two methods scan vertically:
//   transpose  `partial` is transposed, and each row of the result is scanned
//   columns    a thread scans its columns in tiles: it adds row t - 1 of a tile to row t
// Source: transposition seed IV-F.
#include <omp.h>

#include <numeric>

#include "formats/partition.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

namespace sparserepro {
namespace {

/// Largest size of the partial histograms, in bytes.
constexpr std::int64_t max_histogram_bytes = std::int64_t{4} << 30;

/// Columns of a tile. Two rows of it, 16 KiB, stay in the L1 cache.
constexpr std::int64_t tile_columns = 2048;

class OmpIndexToPointers final : public HostPrimitiveRun {
 public:
  OmpIndexToPointers(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem),
        threads_(params.threads()),
        transpose_(params.text("vertical_scan") == "transpose"),
        bins_(problem.bins()),
        partial_(static_cast<std::size_t>(threads_ * bins_)),
        transposed_(transpose_ ? partial_.size() : 0),
        range_total_(static_cast<std::size_t>(threads_)) {}

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      const std::int64_t first = part_begin(bins_, p, t);
      const std::int64_t last = part_begin(bins_, p, t + 1);
      count(p, t);
#pragma omp barrier
      if (transpose_) {
        scan_transposed(p, first, last);
      } else {
        scan_columns(p, first, last);
      }
      scan_totals(p, t, first, last);
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>((partial_.size() + transposed_.size() + range_total_.size()) *
                                     sizeof(index_t));
  }

 private:
  index_t* histogram(int t) {
    return partial_.data() + t * bins_;
  }

  void count(int p, int t) {
    index_t* const counts = histogram(t);
    std::fill_n(counts, bins_, index_t{0});
    const index_t* const index = problem_.values().data();
    const std::int64_t end = part_begin(problem_.length(), p, t + 1);
    for (std::int64_t i = part_begin(problem_.length(), p, t); i < end; ++i) {
      ++counts[index[i]];
    }
  }

  // scan_transposed and scan_columns write the total of bin b to pointers[b + 1].
  void scan_transposed(int p, std::int64_t first, std::int64_t last) {
    for (int s = 0; s < p; ++s) {
      const index_t* const counts = histogram(s);
      for (std::int64_t b = first; b < last; ++b) {
        transposed_[b * p + s] = counts[b];
      }
    }
    for (std::int64_t b = first; b < last; ++b) {
      index_t* const row = transposed_.data() + b * p;
      std::partial_sum(row, row + p, row);
      out_.pointers[b + 1] = row[p - 1];
    }
  }

  void scan_columns(int p, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; tile += tile_columns) {
      const std::int64_t width = std::min(tile_columns, last - tile);
      for (int s = 1; s < p; ++s) {
        const index_t* const above = histogram(s - 1) + tile;
        index_t* const row = histogram(s) + tile;
        for (std::int64_t c = 0; c < width; ++c) {
          row[c] += above[c];
        }
      }
      std::copy_n(histogram(p - 1) + tile, width, out_.pointers.data() + tile + 1);
    }
  }

  // Prefix sum of the totals: each thread scans its range from the sum of the ranges before it.
  void scan_totals(int p, int t, std::int64_t first, std::int64_t last) {
    index_t* const totals = out_.pointers.data() + 1;
    range_total_[t] = std::accumulate(totals + first, totals + last, index_t{0});
#pragma omp barrier
    index_t sum = std::accumulate(range_total_.begin(), range_total_.begin() + t, index_t{0});
    for (std::int64_t b = first; b < last; ++b) {
      sum += totals[b];
      totals[b] = sum;
    }
    if (t == p - 1) {
      out_.pointers.front() = 0;
    }
  }

  int threads_;
  bool transpose_;
  std::int64_t bins_;
  Buffer<index_t> partial_;      // [threads * bins]
  Buffer<index_t> transposed_;   // [bins * threads], or empty
  Buffer<index_t> range_total_;  // [threads]
};

std::string histogram_refusal(const PrimitivesProblem& problem, const Params& params) {
  const std::int64_t copies = params.text("vertical_scan") == "transpose" ? 2 : 1;
  const std::int64_t row_bytes = copies * problem.bins() * std::int64_t{sizeof(index_t)};
  return params.threads() <= max_histogram_bytes / row_bytes
             ? ""
             : "histograms of " + std::to_string(params.threads()) + " threads and " +
                   std::to_string(problem.bins()) + " bins exceed " +
                   std::to_string(max_histogram_bytes >> 20) + " MiB";
}

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_index_to_pointers() {
  return {.name = "omp_index_to_pointers",
          .summary = "partial histograms, vertical scan, scan",
          .source = "transposition seed IV-F",
          .backend = Backend::omp,
          .parameters = {{"vertical_scan",
                          "columns",
                          {"columns", "transpose"},
                          "prefix sums down the partial histograms; columns: in place, transpose: "
                          "along the rows of the transposed histograms"}},
          .applies = solves(Procedure::index_to_pointers),
          .refusal = histogram_refusal,
          .prepare = make_run<OmpIndexToPointers, PrimitivesProblem>};
}

}  // namespace sparserepro
