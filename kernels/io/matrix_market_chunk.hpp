// The entries of a window of a Matrix Market file, read in chunks by many threads. Private to the
// reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/buffer.hpp"
#include "io/matrix_market_line.hpp"

namespace sparserepro::matrix_market {

/// Whole lines of a window, and what was read of them.
struct Chunk {
  std::string_view text;           ///< whole lines, each of which ends in '\n'
  std::size_t place{};             ///< of its first entry in the arrays of `WindowEntries`
  std::int64_t entries{};          ///< entries read
  std::int64_t lines{};            ///< lines read without an error
  std::optional<LineError> error;  ///< of the line that follows them
};

/// Entries of one window; those of a chunk lie one after the other.
struct WindowEntries {
  std::vector<Chunk> chunks;
  Buffer<index_t> rows, cols;
  Buffer<double> values;  ///< empty for a pattern

  /// Cuts the lines of `window` into chunks of at least `chunk_bytes` and makes room for the
  /// entries that they can hold.
  void cut(std::string_view window, std::size_t chunk_bytes, bool with_values);
};

/// Reads the entries of a chunk and stops at the first error.
void read_chunk(Chunk& chunk, const MatrixMarketHeader& header, bool allow_nonfinite,
                WindowEntries& entries);

/// Number of the line, from 0, that holds entry `entry`, from 0, of a chunk.
std::int64_t line_of_entry(const Chunk& chunk, std::int64_t entry);

}  // namespace sparserepro::matrix_market
