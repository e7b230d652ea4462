// A coarse picture of where a matrix has its entries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr.hpp"

namespace sparserepro {

/// Number of lines and of columns of a raster, at most.
inline constexpr index_t spy_size = 48;

/// The entries of each block of `a`, cut into min(rows, spy_size) x min(cols, spy_size) blocks:
/// entry (i, j) lies in block (floor(i lines / rows), floor(j columns / cols)). A string for each
/// line of blocks, a character for each block: '0' without entries, else the number of binary
/// digits of the count, in base 36 ('1': one entry, '2': 2 or 3, '3': 4 to 7, ..., 'a': 512 to
/// 1023, ...). Work O(nnz), shared by `threads` threads; <= 0: one per processor of the affinity
/// mask.
std::vector<std::string> spy(const Csr<std::int64_t, double>& a, int threads = 0);

}  // namespace sparserepro
