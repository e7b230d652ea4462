// Lists of path flat: a bit per entry that ends a row, and how many rows end before; the rows with
// entries, then those without; with one column the entries of each task and the parts of long rows.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/flat/product.cuh"

namespace sparserepro::balanced {

/// A thread a row: the bit of its last entry in `words`, which are 0 before, then `also` of row i
/// and its entries [begin, end).
template <class Offset, class Also>
__global__ void row_ends_kernel(const Offset* __restrict__ row_ptr, index_t rows, uint2* words,
                                Also also) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) {
    return;
  }
  const Offset begin = row_ptr[i], end = row_ptr[i + 1];
  if (begin < end) {
    atomicOr(&words[(end - 1) / 32].x, 1U << ((end - 1) % 32));
  }
  also(i, begin, end);
}

/// With more than one column: the bits alone.
struct NoTasks {
  template <class Offset>
  __device__ void operator()(std::int64_t /*i*/, Offset /*begin*/, Offset /*end*/) const {}
};

/// With one column: where the entries of a row's task begin or end, if it is the first or the last
/// row that begins there; its parts, if it is long. The order of the rows in `parts` differs from
/// run to run, and no sum depends on it.
template <class Offset>
struct FlatTasks {
  const Offset* row_ptr;
  Offset nnz;
  FlatShape shape;
  FlatSpan* spans;  ///< 0 before, as is the next
  unsigned* part_count;
  FlatPart* parts;

  __device__ void operator()(std::int64_t i, Offset begin, Offset end) const {
    if (begin == nnz) {
      return;
    }
    const Offset task = begin / shape.stride;
    if (i == 0 || row_ptr[i - 1] / shape.stride < task) {
      spans[task].begin = static_cast<int>(begin - task * shape.stride);
    }
    if (begin == end) {
      return;
    }
    const bool is_long = end - begin > shape.longest;
    if (end / shape.stride > task || end == nnz) {
      spans[task].end = static_cast<int>((is_long ? begin : end) - task * shape.stride);
    }
    if (is_long) {
      const auto count =
          static_cast<unsigned>(ceil_div<std::int64_t>(end - begin, BalancedPolicy::flat_part));
      const unsigned first = atomicAdd(part_count, count);
      for (unsigned number = 0; number < count; ++number) {
        parts[first + number] = {static_cast<index_t>(i), number};
      }
    }
  }
};

/// The rows that end in word w.
struct CountEnds {
  const uint2* words;
  __device__ unsigned operator()(std::size_t w) const { return __popc(words[w].x); }
};

/// Where the number of word w is, counted in half words.
struct PlaceOfCount {
  __host__ __device__ std::size_t operator()(std::size_t w) const { return 2 * w + 1; }
};

/// order: the `some` rows with entries, then rows without, each ascending.
template <class Offset>
__global__ void flat_order_kernel(const Offset* __restrict__ row_ptr, index_t rows, index_t some,
                                  const uint2* __restrict__ words, index_t* order) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) {
    return;
  }
  const Offset begin = row_ptr[i];
  const auto row = static_cast<index_t>(i);
  const uint2 word = words[begin / 32];
  const auto place = static_cast<index_t>(word.y + __popc(word.x & ~(~0U << (begin % 32))));
  order[row_ptr[i + 1] > begin ? place : some + (row - place)] = row;
}

/// The bits and, where rows are empty, the order of the rows of one matrix.
template <class Offset>
class RowEnds {
 public:
  /// `a` outlives this. `more` words are 0 after `analyse` as well, for lists of others.
  template <class Element>
  RowEnds(const CsrView<Offset, Element>& a, std::size_t more, DeviceMemory& memory)
      : row_ptr_(a.row_ptr), rows_(a.rows), words_(static_cast<std::size_t>(a.nnz / 32 + 1)) {
    zeroed_ = DeviceArray<uint2>(words_ + more, memory);
    order_ = DeviceArray<index_t>(static_cast<std::size_t>(a.rows), memory);
    std::size_t bytes = 0;
    count_ends(nullptr, bytes, nullptr);
    storage_ = DeviceArray<char>(bytes, memory);
  }

  /// Builds the lists; `empty` rows have no entries. `also`: as for row_ends_kernel.
  template <class Also>
  void analyse(index_t empty, const Also& also, cudaStream_t stream) {
    some_rows_ = rows_ - empty;
    zeroed_.fill_bytes(0, stream);
    row_ends_kernel<<<row_blocks(), threads, 0, stream>>>(row_ptr_, rows_, words(), also);
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    count_ends(storage_.data(), bytes, stream);
    if (empty > 0) {
      flat_order_kernel<<<row_blocks(), threads, 0, stream>>>(row_ptr_, rows_, some_rows_, words(),
                                                              order_.data());
      CUDA_CHECK_LAUNCH();
    }
  }

  uint2* words() const { return zeroed_.data(); }
  uint2* more() const { return words() + words_; }
  const index_t* order() const { return order_.data(); }
  index_t some_rows() const { return some_rows_; }
  unsigned empty_rows() const { return static_cast<unsigned>(rows_ - some_rows_); }

 private:
  static constexpr unsigned threads = 256;

  /// Of a thread a row.
  unsigned row_blocks() const {
    return static_cast<unsigned>(ceil_div<std::int64_t>(rows_, threads));
  }

  /// Sets the numbers of rows that end before each word.
  void count_ends(void* storage, std::size_t& bytes, cudaStream_t stream) {
    const thrust::counting_iterator<std::size_t> first(0);
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(
        storage, bytes, thrust::make_transform_iterator(first, CountEnds{words()}),
        thrust::make_permutation_iterator(reinterpret_cast<unsigned*>(words()),
                                          thrust::make_transform_iterator(first, PlaceOfCount{})),
        words_, stream));
  }

  const Offset* row_ptr_;
  index_t rows_, some_rows_ = 0;  // with entries
  std::size_t words_;
  DeviceArray<uint2> zeroed_;   // words [words_], then those of others
  DeviceArray<index_t> order_;  // [rows]
  DeviceArray<char> storage_;
};

}  // namespace sparserepro::balanced
