#include "formats/huge_pages.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace sparserepro {

std::int64_t huge_kib_at(const std::string& smaps, std::uintptr_t address) {
  std::istringstream lines(smaps);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    unsigned long begin = 0, end = 0;
    long kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin <= address && address < end;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %ld kB", &kib) == 1) {
      return kib;
    }
  }
  return 0;
}

bool arrays_have_huge_pages() {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  Buffer<char> array(bytes);
  std::fill(array.begin(), array.end(), '\1');
  std::ifstream file("/proc/self/smaps");
  std::ostringstream text;
  text << file.rdbuf();
  return huge_kib_at(text.str(), reinterpret_cast<std::uintptr_t>(array.data()) + bytes / 2) > 0;
}

bool disable_huge_pages(bool disable) {
  return prctl(PR_SET_THP_DISABLE, disable ? 1 : 0, 0, 0, 0) == 0;
}

}  // namespace sparserepro
