// CUDA's streams, without CUDA's headers.
#pragma once

struct CUstream_st;

namespace sparserepro::device {

/// The same type as cudaStream_t; null is the device's default stream.
using Stream = CUstream_st*;

}  // namespace sparserepro::device
