// The bound that every rate is a fraction of: what a plain copy reaches on this machine, now.
#pragma once

#include <cstdint>

namespace sparserepro {

/// Bytes read plus written per second by a copy of an array several times the last-level cache with
/// `threads` OpenMP threads; the best of a few passes. The first call of a thread count measures
/// (about 0.2 s), later ones return the same figure.
double copy_bandwidth(int threads);

/// Useful bytes per second of random reads of rows of `row_bytes` from a table of `table_bytes`,
/// with `threads` OpenMP threads; the best of a few passes. Measured once for each kind of call.
double gather_bandwidth(int threads, std::int64_t row_bytes, std::int64_t table_bytes);

}  // namespace sparserepro
