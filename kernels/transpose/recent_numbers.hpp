// A set of the numbers met last, for samples that tell which cache lines come again soon.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sparserepro {

/// Remembers numbers, as many as have not lost their slot to another. Multiplying by the golden
/// ratio spreads neighbouring numbers, and those a stride apart, evenly (Knuth, vol. 3,
/// section 6.4).
class RecentNumbers {
 public:
  explicit RecentNumbers(std::int64_t count)
      : shift_(32 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)))),
        table_(std::size_t{1} << (32 - shift_), none) {}
  bool has(std::uint32_t number) const { return table_[slot(number)] == number; }
  void add(std::uint32_t number) { table_[slot(number)] = number; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  std::size_t slot(std::uint32_t number) const { return (number * 2654435769u) >> shift_; }

  int shift_;
  std::vector<std::uint32_t> table_;
};

}  // namespace sparserepro
