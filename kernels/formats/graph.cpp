// A + A^T by two stable counting sorts. Transposing leaves every row of A^T ascending, whatever the
// order within the rows of A; transposing again gives A with ascending rows. A row of the graph is
// then the merge of row i of A and row i of A^T, once to count and once to write.
#include "formats/graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "formats/error.hpp"
#include "formats/partition.hpp"

namespace sparserepro {
namespace {

struct PatternView {
  index_t rows;
  const std::int64_t* row_ptr;
  const index_t* col_idx;
};

struct OwnedPattern {
  Buffer<std::int64_t> row_ptr;
  Buffer<index_t> col_idx;

  PatternView view() const {
    return {static_cast<index_t>(row_ptr.size() - 1), row_ptr.data(), col_idx.data()};
  }
};

/// Threads of a transposition: one histogram each, together no larger than the matrix.
int histogram_threads(const PatternView& a, int threads) {
  const std::int64_t affordable = 1 + a.row_ptr[a.rows] / (std::int64_t{a.rows} + 1);
  return static_cast<int>(std::clamp<std::int64_t>(affordable, 1, threads));
}

/// next[p][j], the entries of column j in part p, becomes where the first of them goes; row_ptr[j]
/// the first of column j. Blocks of columns are added up, then scanned from where each begins.
void counts_to_positions(Buffer<std::int64_t>& next, std::int64_t n, int parts,
                         Buffer<std::int64_t>& row_ptr, int threads) {
  Buffer<std::int64_t> begin(static_cast<std::size_t>(threads) + 1, 0);  // of each block
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int block = 0; block < threads; ++block) {
    const std::int64_t first = part_begin(n, threads, block);
    const std::int64_t last = part_begin(n, threads, block + 1);
    std::int64_t sum = 0;
    for (int part = 0; part < parts; ++part) {
      sum = std::accumulate(next.data() + part * n + first, next.data() + part * n + last, sum);
    }
    begin[block + 1] = sum;
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int block = 0; block < threads; ++block) {
    std::int64_t sum = begin[block];
    for (std::int64_t j = part_begin(n, threads, block); j < part_begin(n, threads, block + 1);
         ++j) {
      row_ptr[j] = sum;
      for (int part = 0; part < parts; ++part) {
        sum += std::exchange(next[part * n + j], sum);
      }
    }
  }
  row_ptr[n] = begin[threads];
}

/// Transpose of a square pattern; each row of the answer ascends and keeps duplicates.
OwnedPattern transposed(const PatternView& a, int threads) {
  const std::int64_t n = a.rows, nnz = a.row_ptr[n];
  const int parts = histogram_threads(a, threads);
  OwnedPattern t;
  t.row_ptr.resize(static_cast<std::size_t>(n) + 1);
  t.col_idx.resize(static_cast<std::size_t>(nnz));
  Buffer<std::int64_t> next;  // [parts][n]
  next.resize(static_cast<std::size_t>(n * parts));
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    std::int64_t* const count = next.data() + part * n;
    std::fill_n(count, n, 0);
    const std::int64_t end = a.row_ptr[balanced_row_begin(a.row_ptr, a.rows, parts, part + 1)];
    for (auto p = a.row_ptr[balanced_row_begin(a.row_ptr, a.rows, parts, part)]; p < end; ++p) {
      ++count[a.col_idx[p]];
    }
  }
  counts_to_positions(next, n, parts, t.row_ptr, threads);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    std::int64_t* const position = next.data() + part * n;
    const index_t end = balanced_row_begin(a.row_ptr, a.rows, parts, part + 1);
    for (index_t i = balanced_row_begin(a.row_ptr, a.rows, parts, part); i < end; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        t.col_idx[position[a.col_idx[p]]++] = i;
      }
    }
  }
  return t;
}

/// Merges the ascending rows `i` of A and A^T: calls emit(j) once for each neighbour, in order, and
/// adds what was dropped or mirrored to `found`. The loops and duplicates are those of A's row.
template <class Emit>
void merge_row(const PatternView& a, const PatternView& at, index_t i, GraphCleaning& found,
               const Emit& emit) {
  std::int64_t p = a.row_ptr[i], q = at.row_ptr[i];
  const std::int64_t p_end = a.row_ptr[i + 1], q_end = at.row_ptr[i + 1];
  while (p < p_end || q < q_end) {
    const index_t j = p == p_end   ? at.col_idx[q]
                      : q == q_end ? a.col_idx[p]
                                   : std::min(a.col_idx[p], at.col_idx[q]);
    const std::int64_t p_first = p;
    while (p < p_end && a.col_idx[p] == j) {
      ++p;
    }
    while (q < q_end && at.col_idx[q] == j) {
      ++q;
    }
    const std::int64_t copies = p - p_first;
    if (i == j) {
      found.loops += copies;
      continue;
    }
    found.duplicates += std::max<std::int64_t>(copies - 1, 0);
    found.mirrored += copies == 0;
    emit(j);
  }
}

}  // namespace

index_t balanced_row_begin(const std::int64_t* row_ptr, index_t rows, int parts, int part) {
  const std::int64_t work = row_ptr[rows] + rows;
  const std::int64_t target = work / parts * part + std::min<std::int64_t>(part, work % parts);
  index_t low = 0, high = rows;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (row_ptr[middle] + middle < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Graph graph_from_matrix(const Csr<std::int64_t, double>& a, GraphCleaning& cleaning, int threads) {
  if (a.rows != a.cols) {
    throw InputError("a graph needs a square matrix; this one has " + std::to_string(a.rows) +
                     " rows and " + std::to_string(a.cols) + " columns");
  }
  const OwnedPattern below = transposed({a.rows, a.row_ptr.data(), a.col_idx.data()}, threads);
  const OwnedPattern above = transposed(below.view(), threads);
  const PatternView at = below.view(), sorted = above.view();
  Graph graph;
  graph.vertices = a.rows;
  graph.row_ptr.resize(static_cast<std::size_t>(a.rows) + 1);
  graph.row_ptr[0] = 0;
  std::int64_t loops = 0, duplicates = 0, mirrored = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads) \
    reduction(+ : loops, duplicates, mirrored)
  for (index_t i = 0; i < a.rows; ++i) {
    std::int64_t degree = 0;
    GraphCleaning found;
    merge_row(sorted, at, i, found, [&](index_t) { ++degree; });
    graph.row_ptr[static_cast<std::size_t>(i) + 1] = degree;
    loops += found.loops;
    duplicates += found.duplicates;
    mirrored += found.mirrored;
  }
  for (index_t i = 0; i < a.rows; ++i) {
    graph.row_ptr[static_cast<std::size_t>(i) + 1] += graph.row_ptr[i];
  }
  graph.col_idx.resize(static_cast<std::size_t>(graph.row_ptr[a.rows]));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (index_t i = 0; i < a.rows; ++i) {
    index_t* out = graph.col_idx.data() + graph.row_ptr[i];
    GraphCleaning ignored;
    merge_row(sorted, at, i, ignored, [&](index_t j) { *out++ = j; });
  }
  cleaning = {loops, duplicates, mirrored};
  return graph;
}

}  // namespace sparserepro
