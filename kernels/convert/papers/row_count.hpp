// Row lengths by atomic additions, as in the SpMM seed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/coo.hpp"
#include "formats/static_chunk.hpp"

namespace sparserepro {

/// count[i] = entries of row i; [rows]. `Count` is any integer type. O(nnz + rows) work.
template <class Count>
void count_rows_atomic(const Coo& coo, int threads, Count* count) {
  std::fill_n(count, coo.rows, Count{0});
  const index_t* const row_idx = coo.row_idx.data();
  const std::int64_t nnz = coo.nnz();
  const std::int64_t chunk = static_chunk(nnz, threads);
#pragma omp parallel for schedule(static, chunk) num_threads(threads)
  for (std::int64_t e = 0; e < nnz; ++e) {
#pragma omp atomic
    ++count[row_idx[e]];
  }
}

}  // namespace sparserepro
