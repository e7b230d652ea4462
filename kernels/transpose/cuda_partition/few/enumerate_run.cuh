// The enumeration sort of cuda_partition: its launch.
#pragma once

#include <algorithm>

#include "cuda/device_info.hpp"
#include "cuda/launch.hpp"
#include "formats/csr.hpp"
#include "harness/registry.hpp"
#include "transpose/cuda_partition/few/enumerate.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape, without workspace; everything is queued on one stream.
template <class Offset, class Value>
class EnumerationSort {
 public:
  EnumerationSort(index_t cols, Offset nnz, cudaStream_t stream)
      : shape_(choose_enumeration(cols, nnz, gpu_info()->multiprocessors)),
        shared_bytes_(std::max(sizeof(OwnEntries<Value>), shape_.width * sizeof(unsigned))),
        stream_(stream) {
    allow_shared_bytes(
        enumeration_kernel<Value>,
        std::max(sizeof(OwnEntries<Value>), EnumerationPolicy::most_range * sizeof(unsigned)));
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out) {
    const DeviceMatrix<Value> a{{const_cast<Offset*>(in.row_ptr), sizeof(Offset) == 8},
                                reinterpret_cast<const unsigned*>(in.col_idx),
                                in.values,
                                static_cast<unsigned>(in.rows),
                                static_cast<unsigned>(in.cols),
                                static_cast<unsigned>(in.nnz)};
    enumeration_kernel<<<shape_.entry_blocks + shape_.pointer_blocks, EnumerationPolicy::threads,
                         shared_bytes_, stream_>>>(a, shape_, out);
    CUDA_CHECK_LAUNCH();
  }

  Measures measures() const {
    return {{"blocks", static_cast<double>(shape_.entry_blocks + shape_.pointer_blocks)},
            {"threads", static_cast<double>(EnumerationPolicy::threads)},
            {"passes", 1.0}};
  }

 private:
  EnumerationShape shape_;
  std::size_t shared_bytes_;
  cudaStream_t stream_;
};

}  // namespace sparserepro::partition
