// Building blocks that the families of generators share. All results are independent of the number
// of threads.
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

/// Throws InputError when a CSR matrix with so many entries does not fit this machine's memory.
void require_memory(index_t rows, std::int64_t entries);

/// Turns the lengths in row_ptr[1..rows] into row pointers and sizes the arrays for them.
void allocate_entries(GeneratedCsr& a);

/// All values 1.
void fill_ones(GeneratedCsr& a, int threads);

/// Entry p gets a value in [-1, 1] other than 0, from p alone.
void fill_values(GeneratedCsr& a, std::uint64_t seed, int threads);

enum class Loops { keep, drop };

/// Pattern of the set of edges: repeated ones count once, their order does not matter.
GeneratedCsr csr_from_edges(index_t rows, index_t cols, const Buffer<Edge>& edges, Loops loops,
                            int threads);

/// Row and column v of the square pattern `a` become order[v].
GeneratedCsr relabelled(const GeneratedCsr& a, const Buffer<index_t>& order, int threads);

/// A random permutation of 0 .. count-1 (Fisher and Yates).
Buffer<index_t> random_permutation(index_t count, std::uint64_t seed);

/// `count` distinct numbers of [0, bound), ascending, each subset equally likely.
void distinct_below(RandomStream& stream, index_t bound, index_t count, std::vector<index_t>& out);

/// Builds a pattern from `visit(i, emit)`, which calls emit(j) for the columns j of row i in
/// ascending order, and is called twice for each row: to count, then to write.
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
