// Division by a divisor that is known only at run time, by a multiplication and a shift.
#pragma once

#include <bit>
#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Quotients by one divisor d in [1, 2^31), exact for dividends n in [0, 2^31):
///
///   floor(n / d) = floor(n m / 2^(31+s)),  s = ceil(log2 d),  m = floor(2^(31+s) / d) + 1
///
/// m fits 32 bits: m = 2^31 + 1 where d is a power of two, else 2^(31+s) / d < 2^32. The quotient
/// is exact: e = m d - 2^(31+s) lies in [1, 2^s], so n m / 2^(31+s) exceeds n / d by
/// n e / (d 2^(31+s)) < 1 / d.
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
