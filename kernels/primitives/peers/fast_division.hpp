// Division by a number that is known only at run time, without the device's division routine.
#pragma once

#include <bit>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Quotient and remainder by one divisor in [1, 2^31), exact for dividends in [0, 2^31): one
/// multiplication and one shift. With s = ceil(log2 d) and m = floor(2^(31+s) / d) + 1, m is at
/// most 2^32 - 1 (d is no power of two: 2^(31+s) / d < 2^32; else m = 2^31 + 1), and e = m d -
/// 2^(31+s) is in [1, 2^s]; so n m / 2^(31+s) exceeds n / d by n e / (d 2^(31+s)) < 1 / d.
class FastDivisor {
 public:
  FastDivisor() = default;
  explicit FastDivisor(std::uint32_t divisor)
      : divisor_(divisor),
        shift_(31 + static_cast<unsigned>(std::bit_width(divisor - 1))),
        multiplier_(static_cast<std::uint32_t>((std::uint64_t{1} << shift_) / divisor + 1)) {}

  SPARSEREPRO_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }
  SPARSEREPRO_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>(std::uint64_t{n} * multiplier_ >> shift_);
  }

 private:
  std::uint32_t divisor_ = 1;
  unsigned shift_ = 31;
  std::uint32_t multiplier_ = 0x80000001U;
};

}  // namespace sparserepro
