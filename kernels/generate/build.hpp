// Building blocks that the families of generators share. No result depends on the number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "generate/random.hpp"
#include "generate/spec.hpp"

namespace sparserepro::generation {

using Edge = std::pair<index_t, index_t>;  ///< (row, column)

/// Throws InputError if a CSR matrix of `rows` rows and `entries` entries (12 bytes each) exceeds
/// the memory of this machine.
void require_memory(index_t rows, std::int64_t entries);

/// Replaces the row lengths in row_ptr[1 .. rows] by row pointers and allocates col_idx and values.
void allocate_entries(GeneratedCsr& a);

/// Sets all values to 1.
void fill_ones(GeneratedCsr& a, int threads);

/// Sets values[p] to a random number in [-1, 1] other than 0 that depends on (seed, p) alone.
void fill_values(GeneratedCsr& a, std::uint64_t seed, int threads);

enum class Loops { keep, drop };  ///< of edges (i, i)

/// Pattern of the set of edges: a repeated edge gives one entry, and their order does not matter.
/// Columns ascend in each row. The values are allocated and not set.
GeneratedCsr csr_from_edges(index_t rows, index_t cols, const Buffer<Edge>& edges, Loops loops,
                            int threads);

/// The square pattern with rows and columns renumbered: entry (u, v) becomes (order[u], order[v]).
/// `order` is a permutation [rows]. Columns ascend in each row; the values are not set.
GeneratedCsr relabelled(const GeneratedCsr& a, const Buffer<index_t>& order, int threads);

/// A random permutation of 0 .. count-1 by the method of Fisher and Yates.
Buffer<index_t> random_permutation(index_t count, std::uint64_t seed);

/// Sets `out` to `count` distinct numbers of [0, bound), ascending; each subset is equally likely.
/// Requires count <= bound.
void distinct_below(RandomStream& stream, index_t bound, index_t count, std::vector<index_t>& out);

/// Builds a pattern from `visit(i, emit)`, which calls emit(j) for the columns j of row i in
/// ascending order. It is called twice a row, once to count and once to write, by any thread.
template <class Visit>
GeneratedCsr csr_from_rows(index_t rows, index_t cols, int threads, const Visit& visit) {
  GeneratedCsr a(rows, cols, 0);
  a.row_ptr[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (index_t i = 0; i < rows; ++i) {
    std::int64_t length = 0;
    visit(i, [&](index_t) { ++length; });
    a.row_ptr[i + 1] = length;
  }
  allocate_entries(a);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (index_t i = 0; i < rows; ++i) {
    index_t* column = a.col_idx.data() + a.row_ptr[i];
    visit(i, [&](index_t j) { *column++ = j; });
  }
  return a;
}

}  // namespace sparserepro::generation
