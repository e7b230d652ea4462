// What cuda_partition cannot transpose on a device. Compiles without CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "transpose/cuda_partition/few/policy.hpp"
#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro::partition {

/// Places are 32-bit numbers.
inline constexpr std::int64_t most_entries = (std::int64_t{1} << 32) - (1 << 26);

/// "" or why a matrix cannot be transposed on a device with so many multiprocessors whose blocks
/// have so much shared memory.
inline std::string limit_refusal(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                 std::size_t value_bytes, const Options& options,
                                 std::int64_t multiprocessors, std::int64_t shared_bytes) {
  if (options.path == Path::symmetric && rows != cols) {
    return "path symmetric is for square matrices; this one is " + std::to_string(rows) + " x " +
           std::to_string(cols);
  }
  if (cols > most_columns) {
    return std::to_string(cols) + " columns; two passes divide at most " +
           std::to_string(most_columns);
  }
  if (nnz > most_entries) {
    return std::to_string(nnz) + " entries; places are 32-bit numbers, at most " +
           std::to_string(most_entries);
  }
  if (const std::int64_t most = multiprocessors * std::int64_t{TeamPolicy::most_entries_each};
      options.path == Path::team && nnz > most) {
    return std::to_string(nnz) + " entries; a team sorts at most " + std::to_string(most) +
           " on this device";
  }
  const int threads = options.tile == TileSize::large ? DevicePartitionPolicy::large_threads
                                                      : DevicePartitionPolicy::small_threads;
  constexpr TeamShape team{.blocks = 1,
                           .threads = TeamPolicy::most_threads,
                           .items = TeamPolicy::most_items,
                           .column_bits = TeamPolicy::single_digit_bits,
                           .digit_bits = TeamPolicy::single_digit_bits,
                           .passes = 1};
  const std::int64_t bytes = std::max(most_shared_bytes(value_bytes, threads),
                                      static_cast<std::int64_t>(team.shared_bytes(value_bytes)));
  return bytes <= shared_bytes
             ? ""
             : "tiles of " + std::to_string(threads) + " threads need " + std::to_string(bytes) +
                   " bytes of shared memory; a block has " + std::to_string(shared_bytes);
}

}  // namespace sparserepro::partition
