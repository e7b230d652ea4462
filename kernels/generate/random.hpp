// Counter-based random numbers: draw t of a stream depends on (seed, purpose, index, t) alone.
// Threads can therefore produce the parts of a matrix in any order and get the same bits.
//
// Generator: Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC'11. Bounded integers: multiply and reject, D. Lemire, "Fast
// random integer generation in an interval", ACM TOMACS 29 (2019). All arithmetic is on integers,
// except for exact scalings by powers of two.
#pragma once

#include <array>
#include <cstdint>

namespace sparserepro {

/// Philox4x32-10: the 128-bit block of a counter and a key.
inline std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Use of a stream. Streams of different purposes never share a counter. A changed number changes
/// every generated matrix that uses it.
enum class Purpose : std::uint32_t {
  row_choice = 1,
  column_choice = 2,
  values = 3,
  edges = 4,
  permutation = 5,
  row_length = 6,
  subset = 7,
  dense_operand = 8,
  array = 9,
};

/// Sequential draws of the stream (seed, purpose, index): up to 2^34 words of 32 bits.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(index),
                 static_cast<std::uint32_t>(index >> 32)} {}

  std::uint32_t bits32() {
    if (used_ == 4) {
      block_ = philox4x32(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint64_t high = bits32();
    return high << 32 | bits32();
  }
  /// Uniform in [0, bound), without bias. Requires 0 < bound.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{bits32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t surplus = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < surplus) {
        product = std::uint64_t{bits32()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  /// Uniform multiple of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// A multiple of 2^-53 in [-1, 1] other than 0, from 64 random bits; the lowest bit is the sign.
inline double nonzero_value(std::uint64_t bits) {
  const double magnitude = static_cast<double>((bits >> 11) + 1) * 0x1p-53;
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

/// Threshold t = floor(p 2^32): a number of 32 random bits is less than t with probability p,
/// rounded down to a multiple of 2^-32. Requires 0 <= p <= 1.
inline std::uint64_t threshold32(double p) {
  return static_cast<std::uint64_t>(p * 0x1p32);
}

}  // namespace sparserepro
