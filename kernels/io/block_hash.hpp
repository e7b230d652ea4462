// A fast hash of 64 bits against damage: bits that flip, parts that are missing or moved. It is no
// protection against somebody who wants a certain hash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sparserepro {

/// Four lanes take every fourth word of 8 bytes. A step is invertible, so that a change of one word
/// always changes the hash.
inline std::uint64_t block_hash(const void* data, std::size_t bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  const auto step = [](std::uint64_t hash, std::uint64_t word) {
    return std::rotl((hash ^ word) * odd, 29);
  };
  const char* const begin = static_cast<const char*>(data);
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + 32 <= bytes; at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, begin + at, sizeof words);
    for (int lane = 0; lane < 4; ++lane) {
      lanes[lane] = step(lanes[lane], words[lane]);
    }
  }
  std::uint64_t hash = bytes;
  for (; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, bytes - at < 8 ? bytes - at : 8);
    hash = step(hash, word);
  }
  for (const std::uint64_t lane : lanes) {
    hash = step(hash, lane);
  }
  return hash ^ (hash >> 32);
}

}  // namespace sparserepro
