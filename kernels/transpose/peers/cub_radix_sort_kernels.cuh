// Kernels and iterators around CUB's scan and sort in the transposition: payloads, marks, and the
// arrays of A^T from sorted payloads. One thread an entry, row or column.
#pragma once

#include <cstdint>
#include <type_traits>

#include "formats/csr.hpp"
#include "formats/types.hpp"

namespace sparserepro::cub_sort {

/// Payload of row and value; the row alone of a pattern. It is aligned to its size, so that one
/// load or store moves it; its padding is written, so that memory sectors are written completely.
template <class Value>
struct Fused;
template <>
struct Fused<Pattern> {
  index_t row;
};
template <>
struct alignas(8) Fused<float> {
  index_t row;
  float value;
};
template <>
struct alignas(16) Fused<double> {
  index_t row;
  index_t padding;
  double value;
};

/// Payload of row and fp64 value in 12 bytes.
struct Packed {
  index_t row;
  std::uint32_t value[2];
};

/// Payload of the row and of the position by which the value is gathered.
struct alignas(8) RowPosition {
  index_t row;
  std::uint32_t position;
};

/// Number of the thread in the grid.
inline __device__ std::int64_t global_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// rows[first entry of row r] = r for each non-empty row r. The other elements must be 0.
template <class Offset>
__global__ void mark_rows(const Offset* __restrict__ row_ptr, index_t row_count,
                          index_t* __restrict__ rows) {
  const std::int64_t r = global_thread();
  if (r < row_count) {
    const Offset begin = row_ptr[r];
    if (begin < row_ptr[r + 1]) {
      rows[begin] = static_cast<index_t>(r);
    }
  }
}

/// ends[c + 1] = end of column c for each non-empty column c. The other elements must be 0.
template <class Offset>
__global__ void mark_columns(const index_t* __restrict__ columns, Offset count,
                             Offset* __restrict__ ends) {
  const std::int64_t i = global_thread();
  if (i < count) {
    const index_t c = columns[i];
    if (i + 1 == count || columns[i + 1] != c) {
      ends[std::int64_t{c} + 1] = static_cast<Offset>(i + 1);
    }
  }
}

/// out[i] = i.
inline __global__ void fill_positions(std::int64_t count, std::uint32_t* __restrict__ out) {
  const std::int64_t i = global_thread();
  if (i < count) {
    out[i] = static_cast<std::uint32_t>(i);
  }
}

/// Make...: output functions of the scan of rows; they write the payload of entry i from its row.
template <class Value>
struct MakeFused {
  const Value* values;
  Fused<Value>* out;

  template <class Index>
  __device__ void operator()(Index i, index_t row) const {
    if constexpr (std::is_same_v<Value, double>) {
      out[i] = {row, 0, values[i]};
    } else if constexpr (has_values<Value>) {
      out[i] = {row, values[i]};
    } else {
      out[i] = {row};
    }
  }
};

struct MakePacked {
  const uint2* values;  // [nnz] bits of fp64
  Packed* out;

  template <class Index>
  __device__ void operator()(Index i, index_t row) const {
    const uint2 value = values[i];
    out[i] = {row, {value.x, value.y}};
  }
};

struct MakeRowPosition {
  RowPosition* out;

  template <class Index>
  __device__ void operator()(Index i, index_t row) const {
    out[i] = {row, static_cast<std::uint32_t>(i)};
  }
};

/// From...: write row and value of sorted entry i from its payload.
template <class Value>
struct FromFused {
  const Fused<Value>* carried;
  index_t* row_idx;
  Value* values;

  __device__ void operator()(std::int64_t i) const {
    const Fused<Value> entry = carried[i];
    row_idx[i] = entry.row;
    values[i] = entry.value;
  }
};

struct FromPacked {
  const Packed* carried;
  index_t* row_idx;
  uint2* values;

  __device__ void operator()(std::int64_t i) const {
    const Packed entry = carried[i];
    row_idx[i] = entry.row;
    values[i] = {entry.value[0], entry.value[1]};
  }
};

template <class Value>
struct FromRowPosition {
  const RowPosition* carried;
  const Value* from;
  index_t* row_idx;
  Value* values;

  __device__ void operator()(std::int64_t i) const {
    const RowPosition entry = carried[i];
    const Value value = from[entry.position];
    row_idx[i] = entry.row;
    values[i] = value;
  }
};

template <class Value>
struct FromPosition {
  const std::uint32_t* carried;
  const index_t* rows;
  const Value* from;
  index_t* row_idx;
  Value* values;

  __device__ void operator()(std::int64_t i) const {
    const std::uint32_t position = carried[i];
    const index_t row = rows[position];
    if constexpr (has_values<Value>) {
      values[i] = from[position];
    }
    row_idx[i] = row;
  }
};

/// Calls take(i) for each i < count.
template <class Take>
__global__ void take_apart(Take take, std::int64_t count) {
  const std::int64_t i = global_thread();
  if (i < count) {
    take(i);
  }
}

}  // namespace sparserepro::cub_sort
