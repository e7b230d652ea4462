// What the device's memory delivers at most, measured now. Compiles with and without CUDA; every
// function requires cuda_unavailable() to be "" and throws std::logic_error in a build without
// CUDA.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/bandwidth.hpp"

namespace sparserepro {

/// All ways to stream through device memory: copies by the runtime and by kernels, reads, writes;
/// the best of a few passes over arrays of 1 GiB, or of an eighth of a small device's memory.
/// Measured once per process (less than 0.2 s).
const std::vector<StreamRate>& device_stream_rates();

/// The highest of device_stream_rates(): no algorithm moves more bytes per second from and to
/// device memory.
double device_copy_bandwidth();

/// Useful bytes per second of random reads of rows of `row_bytes`, a multiple of 8, from a table of
/// `table_bytes` in device memory. Rows of more than 1 KiB count as rows of 1 KiB, and a table of
/// more than an eighth of the memory as one of that size; neither is slower. Measured once for each
/// pair (less than 50 ms).
double device_gather_bandwidth(std::int64_t row_bytes, std::int64_t table_bytes);

}  // namespace sparserepro
