// The team of cuda_partition: its buffers and its launch.
#pragma once

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "formats/csr.hpp"
#include "transpose/cuda_partition/facts.hpp"
#include "transpose/cuda_partition/few/team.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape.
template <class Offset, class Value>
class TeamSort {
 public:
  TeamSort(index_t rows, index_t cols, Offset nnz, DeviceMemory& memory)
      : shape_(choose_team(cols, nnz, device_limits().multiprocessors)),
        rows_(static_cast<unsigned>(rows)),
        cols_(static_cast<unsigned>(cols)),
        nnz_(static_cast<unsigned>(nnz)) {
    const std::size_t between = shape_.passes > 1 ? nnz_ : 0;
    words_ = DeviceArray<uint2>(between, memory);
    counts_ = DeviceArray<unsigned>(std::size_t{shape_.blocks} << (shape_.digit_bits - 1), memory);
    allow_all_shared(team_kernel<Value>);
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) {
    const DeviceMatrix<Value> a{AnyPointers(in.row_ptr),
                                reinterpret_cast<const unsigned*>(in.col_idx),
                                in.values,
                                rows_,
                                cols_,
                                nnz_};
    const TeamWorkspace between{words_.data(), counts_.data()};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;  // all blocks run at once
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape_.blocks);
    config.blockDim = dim3(shape_.threads);
    config.dynamicSmemBytes = shape_.shared_bytes(value_bytes<Value>);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, team_kernel<Value>, a, shape_, between, out));
  }

  Facts facts() const {
    return {{"blocks", static_cast<double>(shape_.blocks)},
            {"threads", static_cast<double>(shape_.threads)},
            {"passes", static_cast<double>(shape_.passes)}};
  }

 private:
  TeamShape shape_;
  unsigned rows_, cols_, nnz_;
  DeviceArray<uint2> words_;
  DeviceArray<unsigned> counts_;
};

}  // namespace sparserepro::partition
