// The parts of kernels in kernels/cuda alone: sums over warps and blocks, rows of entries, pointers
// of both widths, conversion. Numbers of rows and entries go beyond 2^31 where no memory is needed.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/convert.cuh"
#include "cuda/device_buffer.hpp"
#include "cuda/entry_rows.cuh"
#include "cuda/scan.cuh"
#include "cuda/stream.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

template <int threads>
__global__ void sum_kernel(const unsigned* values, unsigned* before, unsigned* totals) {
  __shared__ unsigned warp_sums[32];
  unsigned total;
  before[threadIdx.x] = block_exclusive_sum<threads>(values[threadIdx.x], warp_sums, total);
  totals[threadIdx.x] = total;
}

template <int threads>
void check_sums(unsigned block, const std::vector<unsigned>& values) {
  const Stream stream;
  const std::vector<unsigned> some(values.begin(), values.begin() + block);
  DeviceBuffer<unsigned> in(some, stream.get()), before(some.size(), stream.get()),
      totals(some.size(), stream.get());
  sum_kernel<threads><<<1, block, 0, stream.get()>>>(in.data(), before.data(), totals.data());
  CUDA_CHECK_LAUNCH();
  std::vector<unsigned> want(some.size());
  std::exclusive_scan(some.begin(), some.end(), want.begin(), 0U);
  CAPTURE(block, threads);
  CHECK(on_host(before, stream) == want);
  CHECK(on_host(totals, stream) == std::vector<unsigned>(some.size(), want.back() + some.back()));
}

/// found[q] = last_at_most(0, n, i <= wanted[q]); a warp each.
__global__ void last_kernel(const unsigned* sizes, const unsigned* wanted, unsigned* found) {
  const unsigned q = blockIdx.x, target = wanted[q];
  const unsigned last = last_at_most(0, sizes[q], [&](unsigned i) { return i <= target; });
  if (threadIdx.x == 0) {
    found[q] = last;
  }
}

/// Stretches [begin[s], begin[s + 1]) of one warp's `count` <= 4096 entries; of[i] is that of i.
__global__ void stretch_kernel(const unsigned* begin, unsigned stretches, unsigned count,
                               unsigned* of) {
  __shared__ unsigned marks[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += 32) {
    marks[i] = unmarked;
  }
  __syncwarp();
  for (unsigned s = threadIdx.x; s - threadIdx.x < stretches; s += 32) {
    const bool there = s < stretches;
    mark_stretches(marks, there ? begin[s] : 0, there ? begin[s + 1] : 0, s);
  }
  __syncwarp();
  for (unsigned i = threadIdx.x; i - threadIdx.x < count; i += 32) {
    const unsigned stretch = stretch_of(marks[i]);
    if (i < count) {
      of[i] = stretch;
    }
  }
}

constexpr int row_items = 6;

__global__ void rows_kernel(AnyPointers row_ptr, unsigned rows, unsigned begin, unsigned count,
                            unsigned* row) {
  __shared__ unsigned marks[32 * row_items];
  unsigned own[row_items];
  rows_of_entries(row_ptr, rows, begin, count, marks, own);
  for (int j = 0; j < row_items; ++j) {
    if (j * 32 + threadIdx.x < count) {
      row[j * 32 + threadIdx.x] = own[j];
    }
  }
}

/// Rows of `count` entries from `begin` on, by pointers of one width.
template <class Offset>
void check_rows(const std::vector<std::int64_t>& row_ptr, unsigned begin, unsigned count) {
  const Stream stream;
  const std::vector<Offset> pointers(row_ptr.begin(), row_ptr.end());
  DeviceBuffer<Offset> on_device(pointers, stream.get());
  DeviceBuffer<unsigned> rows(std::size_t{count}, stream.get());
  rows_kernel<<<1, 32, 0, stream.get()>>>(AnyPointers(on_device.data()),
                                          static_cast<unsigned>(row_ptr.size() - 1), begin, count,
                                          rows.data());
  CUDA_CHECK_LAUNCH();
  std::vector<unsigned> want(count);
  for (unsigned e = 0; e < count; ++e) {
    const auto after =
        std::upper_bound(row_ptr.begin(), row_ptr.end(), std::int64_t{begin} + std::int64_t{e});
    want[e] = static_cast<unsigned>(after - row_ptr.begin() - 1);
  }
  CAPTURE(begin, count, row_ptr.size(), sizeof(Offset));
  CHECK(on_host(rows, stream) == want);
}

__global__ void copy_pointers_kernel(AnyPointers from, AnyPointers to, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    to.set(i, from[i]);
  }
}

template <class From, class To>
void check_pointers(const std::vector<unsigned>& numbers) {
  const Stream stream;
  const std::vector<From> given(numbers.begin(), numbers.end());
  DeviceBuffer<From> from(given, stream.get());
  DeviceBuffer<To> to(numbers.size() + 1, stream.get());
  to.fill_bytes(0xff, stream.get());
  copy_pointers_kernel<<<1, 64, 0, stream.get()>>>(AnyPointers(from.data()), AnyPointers(to.data()),
                                                   static_cast<unsigned>(numbers.size()));
  CUDA_CHECK_LAUNCH();
  std::vector<To> want(numbers.begin(), numbers.end());
  want.push_back(static_cast<To>(-1));
  CHECK(on_host(to, stream) == want);
}

__global__ void count_wrong_kernel(const unsigned char* bytes, std::size_t count,
                                   unsigned long long* wrong) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += bytes[i] != 7 ? 1 : 0;
  }
  if (mine > 0) {
    atomicAdd(wrong, mine);
  }
}

}  // namespace

TEST_CASE("units on the device: sums over a block of every number of warps", "[cuda][units]") {
  require_device();
  std::mt19937 random(1);
  std::vector<unsigned> values(1024);
  for (unsigned& value : values) {
    value = random() % 1000;
  }
  for (unsigned block = 32; block <= 1024; block += 32) {
    check_sums<0>(block, values);
  }
  check_sums<32>(32, values);
  check_sums<512>(512, values);
  check_sums<1024>(1024, values);
  check_sums<1024>(1024, std::vector<unsigned>(1024, (1U << 22) - 1));  // total 2^32 - 1024
}

TEST_CASE("units on the device: the last number with a property", "[cuda][units]") {
  require_device();
  std::vector<unsigned> sizes, wanted;
  for (const unsigned size : {1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 1023U, 1024U, 1025U, 1057U,
                              32769U, 1000003U, (1U << 31) + 5, ~0U - 64}) {
    for (const unsigned at : {0U, 1U, size / 2, size / 32 * 31, size - 2, size - 1}) {
      if (at < size) {
        sizes.push_back(size);
        wanted.push_back(at);
      }
    }
  }
  const Stream stream;
  DeviceBuffer<unsigned> d_sizes(sizes, stream.get()), d_wanted(wanted, stream.get()),
      found(sizes.size(), stream.get());
  last_kernel<<<static_cast<unsigned>(sizes.size()), 32, 0, stream.get()>>>(
      d_sizes.data(), d_wanted.data(), found.data());
  CUDA_CHECK_LAUNCH();
  CHECK(on_host(found, stream) == wanted);
}

TEST_CASE("units on the device: stretches of every length", "[cuda][units]") {
  require_device();
  for (const unsigned length : {1U, 2U, 31U, 32U, 33U, 255U, 256U, 257U, 258U, 300U, 1300U}) {
    for (const unsigned before : {0U, 1U, 31U, 32U, 40U}) {  // entries of stretches of one
      std::vector<unsigned> begin(before + 1);
      std::iota(begin.begin(), begin.end(), 0U);
      begin.push_back(begin.back());  // an empty one
      while (begin.back() + length <= 4096 && begin.size() < 50) {
        begin.push_back(begin.back() + length);
      }
      const unsigned count = begin.back();
      std::vector<unsigned> want(count);
      for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
        std::fill(want.begin() + begin[s], want.begin() + begin[s + 1], static_cast<unsigned>(s));
      }
      const Stream stream;
      DeviceBuffer<unsigned> d_begin(begin, stream.get()), of(std::size_t{count}, stream.get());
      stretch_kernel<<<1, 32, 0, stream.get()>>>(
          d_begin.data(), static_cast<unsigned>(begin.size() - 1), count, of.data());
      CUDA_CHECK_LAUNCH();
      CAPTURE(length, before);
      CHECK(on_host(of, stream) == want);
    }
  }
}

TEST_CASE("units on the device: rows of entries, up to entry 2^32 - 65", "[cuda][units]") {
  require_device();
  constexpr unsigned most = 32 * row_items;
  // Lengths of rows that take turns; runs of empty ones, also beyond what is scanned.
  const std::vector<std::vector<std::int64_t>> patterns = {{1},   {0, 3}, {40, 0, 0, 1},
                                                           {500}, {5, 0}, {1, 2, 3, 0, 64, 65}};
  for (const auto& lengths : patterns) {
    for (const std::int64_t gap : {0, 1, 2000, 2100, 70000}) {
      for (const std::int64_t offset : {std::int64_t{0}, (std::int64_t{1} << 31) - 70,
                                        (std::int64_t{1} << 32) - 65 - std::int64_t{most}}) {
        std::vector<std::int64_t> row_ptr{0, offset};
        while (row_ptr.back() < offset + 100) {
          row_ptr.push_back(std::min(row_ptr.back() + lengths[row_ptr.size() % lengths.size()],
                                     offset + std::int64_t{most}));
        }
        row_ptr.insert(row_ptr.end(), static_cast<std::size_t>(gap), row_ptr.back());
        while (row_ptr.back() < offset + most) {
          row_ptr.push_back(std::min(row_ptr.back() + lengths[row_ptr.size() % lengths.size()],
                                     offset + std::int64_t{most}));
        }
        row_ptr.push_back(row_ptr.back());
        for (const unsigned count : {1U, 31U, 32U, 33U, most - 1, most}) {
          for (const std::int64_t from : {offset, offset + std::int64_t{most} - count}) {
            check_rows<std::uint32_t>(row_ptr, static_cast<unsigned>(from), count);
            check_rows<std::int64_t>(row_ptr, static_cast<unsigned>(from), count);
          }
        }
      }
    }
  }
}

TEST_CASE("units on the device: pointers of both widths are read and written whole",
          "[cuda][units]") {
  require_device();
  std::vector<unsigned> numbers(200);
  for (unsigned i = 0; i < numbers.size(); ++i) {
    numbers[i] = i * 21474836U + 1;
  }
  check_pointers<std::uint32_t, std::uint32_t>(numbers);
  check_pointers<std::uint32_t, std::int64_t>(numbers);
  check_pointers<std::int64_t, std::uint32_t>(numbers);
  check_pointers<std::int64_t, std::int64_t>(numbers);
}

TEST_CASE("units on the device: conversion of every number of elements", "[cuda][units]") {
  require_device();
  const Stream stream;
  for (const std::size_t count : {0, 1, 255, 256, 257, 1023, 1024, 1025, 100001}) {
    std::vector<std::int64_t> from(count);
    std::iota(from.begin(), from.end(), 5);
    DeviceBuffer<std::int64_t> wide(from, stream.get());
    DeviceBuffer<std::int32_t> narrow(count + 1, stream.get());
    narrow.fill_bytes(0xff, stream.get());
    convert_on_device(wide.data(), narrow.data(), count, stream.get());
    std::vector<std::int32_t> want(from.begin(), from.end());
    want.push_back(-1);
    CAPTURE(count);
    CHECK(on_host(narrow, stream) == want);
  }
}

TEST_CASE("units on the device: conversion of more than 2^32 elements", "[cuda][units][large]") {
  require_device();
  const Stream stream;
  const std::size_t count = (std::size_t{1} << 32) + 77;
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  if (free < 2 * count + (std::size_t{1} << 28)) {
    SKIP("the device has " << free << " bytes free");
  }
  DeviceBuffer<signed char> from(count, stream.get());
  DeviceBuffer<unsigned char> to(count, stream.get());
  DeviceBuffer<unsigned long long> wrong(std::size_t{1}, stream.get());
  from.fill_bytes(7, stream.get());
  to.fill_bytes(0, stream.get());
  wrong.fill_bytes(0, stream.get());
  convert_on_device(from.data(), to.data(), count, stream.get());
  count_wrong_kernel<<<4096, 256, 0, stream.get()>>>(to.data(), count, wrong.data());
  CUDA_CHECK_LAUNCH();
  CHECK(on_host(wrong, stream).front() == 0);
}
