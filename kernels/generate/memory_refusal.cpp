#include <iomanip>
#include <sstream>

#include "generate/memory_limit.hpp"

namespace sparserepro {

std::string memory_refusal(index_t rows, std::int64_t entries) {
  constexpr double entry = sizeof(index_t) + sizeof(double);
  const double needed = static_cast<double>(entries) * entry + 32.0 * rows;
  const MemoryLimit limit = memory_limit();
  if (needed <= limit.bytes) {
    return "";
  }
  const auto gib = [](double bytes) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << bytes * 0x1p-30;
    return text.str();
  };
  return std::to_string(rows) + " rows with " + std::to_string(entries) + " entries need " +
         gib(needed) + " GiB; " + limit.of + " allows " + gib(limit.bytes);
}

}  // namespace sparserepro
