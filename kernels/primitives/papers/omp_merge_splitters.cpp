// Merge of pairs by splitters.
//
//   1. every sp_dist-th element of each segment is a splitter
//   2. the splitters of a pair are merged by the same method, until a segment has at most sp_dist
//   3. two neighbours in merged order bound an independent merge of at most sp_dist elements from
//      each segment
//
// The merge that splitter s begins starts at positions (a, b) of the left and right segment:
//
//   s in the left segment    a = position of s, b = first of the right with key >= key(s)
//   s in the right segment   b = position of s, a = first of the left with key > key(s)
//
// so that equal keys of the left segment come first. Source: transposition seed IV-E. The seed
// places each element of an independent merge by a binary search of its own thread (IV-D); here one
// thread does the whole merge sequentially.
#include <omp.h>

#include <deque>

#include "formats/ceil_div.hpp"
#include "formats/partition.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/merge_pair.hpp"

namespace sparserepro {
namespace {

/// An array to be merged: the problem's, or the splitters of the array one level above. `in` and
/// `out` [length], in segments of `segment` elements.
struct Level {
  std::int64_t segment{}, length{};
  KeyedArray in;
  KeyedOutput out;
};

/// The splitters of one level, as chosen and as merged. `position` refers to the level above.
struct SplitterArrays {
  Buffer<index_t> keys, position, merged_keys, merged_position;
};

class OmpMergeSplitters final : public HostPrimitiveRun {
 public:
  OmpMergeSplitters(const PrimitivesProblem& problem, const Params& params)
      : HostPrimitiveRun(problem), threads_(params.threads()), sp_dist_(params.integer("sp_dist")) {
    levels_.push_back({problem.segment(),
                       problem.length(),
                       {problem.values().data(), problem.payload().data()},
                       {out_.keys.data(), out_.payload.data()}});
    while (levels_.back().segment > sp_dist_ && levels_.back().length > sp_dist_) {
      add_level(levels_.back());
    }
  }

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      const std::size_t last = levels_.size() - 1;
      for (std::size_t l = 0; l < last; ++l) {
        choose_splitters(l, p, t);
#pragma omp barrier
      }
      merge_pairs(levels_[last], p, t);
      for (std::size_t l = last; l-- > 0;) {
#pragma omp barrier
        merge_between_splitters(l, p, t);
      }
    }
  }

  std::int64_t workspace_bytes() const override {
    std::int64_t bytes = 0;
    for (const SplitterArrays& arrays : splitters_) {
      bytes += static_cast<std::int64_t>(4 * arrays.keys.size() * sizeof(index_t));
    }
    return bytes;
  }

 private:
  // Segment k of the next level holds the splitters of segment k of this level.
  void add_level(const Level& level) {
    const std::int64_t segment = ceil_div(level.segment, sp_dist_);
    const std::int64_t rest = level.length % level.segment;
    const std::int64_t length = level.length / level.segment * segment + ceil_div(rest, sp_dist_);
    SplitterArrays& arrays = splitters_.emplace_back();
    for (Buffer<index_t>* array :
         {&arrays.keys, &arrays.position, &arrays.merged_keys, &arrays.merged_position}) {
      array->resize(static_cast<std::size_t>(length));
    }
    levels_.push_back({segment,
                       length,
                       {arrays.keys.data(), arrays.position.data()},
                       {arrays.merged_keys.data(), arrays.merged_position.data()}});
  }

  void choose_splitters(std::size_t l, int p, int t) {
    const Level& level = levels_[l];
    const Level& next = levels_[l + 1];
    SplitterArrays& arrays = splitters_[l];
    const std::int64_t end = part_begin(next.length, p, t + 1);
    for (std::int64_t x = part_begin(next.length, p, t); x < end; ++x) {
      const std::int64_t position = x / next.segment * level.segment + x % next.segment * sp_dist_;
      arrays.keys[x] = level.in.keys[position];
      arrays.position[x] = static_cast<index_t>(position);
    }
  }

  static void merge_pairs(const Level& level, int p, int t) {
    const std::int64_t pairs = pair_count(level.segment, level.length);
    const std::int64_t end = part_begin(pairs, p, t + 1);
    for (std::int64_t k = part_begin(pairs, p, t); k < end; ++k) {
      const auto pair = SegmentPair::at(k, level.segment, level.length);
      merge_ranges(level.in, pair.left, pair.right, pair.right, pair.end, level.out, pair.left);
    }
  }

  /// Positions where an independent merge begins: a in the left, b in the right segment.
  struct Boundary {
    std::int64_t a, b;
  };

  static Boundary boundary(const index_t* keys, const SegmentPair& pair, std::int64_t position) {
    const index_t key = keys[position];
    if (position < pair.right) {
      return {position, std::lower_bound(keys + pair.right, keys + pair.end, key) - keys};
    }
    return {std::upper_bound(keys + pair.left, keys + pair.right, key) - keys, position};
  }

  // Thread t does the merges that its part of the splitters, in merged order, begins.
  void merge_between_splitters(std::size_t l, int p, int t) {
    const Level& level = levels_[l];
    const std::int64_t pair_splitters = 2 * levels_[l + 1].segment;
    const std::int64_t count = levels_[l + 1].length;
    const index_t* const position = levels_[l + 1].out.payload;
    std::int64_t x = part_begin(count, p, t);
    const std::int64_t end = part_begin(count, p, t + 1);
    while (x < end) {
      const std::int64_t k = x / pair_splitters;
      const std::int64_t pair_last = std::min(count, (k + 1) * pair_splitters);
      const auto pair = SegmentPair::at(k, level.segment, level.length);
      Boundary from = boundary(level.in.keys, pair, position[x]);
      for (const std::int64_t stop = std::min(end, pair_last); x < stop; ++x) {
        const Boundary to = x + 1 < pair_last ? boundary(level.in.keys, pair, position[x + 1])
                                              : Boundary{pair.right, pair.end};
        merge_ranges(level.in, from.a, to.a, from.b, to.b, level.out, from.a + from.b - pair.right);
        from = to;
      }
    }
  }

  int threads_;
  std::int64_t sp_dist_;
  std::vector<Level> levels_;             // [0]: the problem's array
  std::deque<SplitterArrays> splitters_;  // [l]: the arrays of levels_[l + 1]
};

}  // namespace

Algorithm<PrimitivesProblem> primitives_omp_merge_splitters() {
  return {.name = "omp_merge_splitters",
          .summary = "independent merges between merged splitters",
          .source = "transposition seed IV-E",
          .backend = Backend::omp,
          .parameters =
              {{"sp_dist", std::int64_t{128}, {}, "elements from one splitter to the next", 2}},
          .applies = solves(Procedure::merge),
          .prepare = make_run<OmpMergeSplitters, PrimitivesProblem>};
}

}  // namespace sparserepro
