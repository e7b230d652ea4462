// The bound that every rate is a fraction of: what a plain copy reaches on this machine, now.
#pragma once

namespace sparserepro {

/// Bytes read plus written per second by a copy of an array several times the last-level cache with
/// `threads` OpenMP threads; the best of a few passes. The first call of a thread count measures
/// (about 0.2 s), later ones return the same figure.
double copy_bandwidth(int threads);

/// Streams through an array larger than the last-level cache, so that what a run left there is
/// evicted.
void flush_caches();

}  // namespace sparserepro
