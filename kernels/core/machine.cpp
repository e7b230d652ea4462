#include "core/machine.hpp"

#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace sparserepro {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") || line.starts_with("Model")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) {
        return line.substr(colon + 2);
      }
    }
  }
  return "unknown processor";
}

/// Size of the largest cache that sysfs lists for the first processor.
std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) +
                       "/size");
    std::int64_t size = 0;
    char unit = 0;
    if (file >> size >> unit) {
      size *= unit == 'M' ? 1 << 20 : 1 << 10;
      largest = std::max(largest, size);
    }
  }
  return largest;
}

/// Lower-case words of letters and digits joined by '-', trademark marks left out.
std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '@') {  // the rest is the clock
      break;
    }
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  for (const std::string mark : {"-r-", "-tm-", "-cpu-", "-processor-"}) {
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark)) {
      out.replace(at, mark.size(), "-");
    }
  }
  while (!out.empty() && out.back() == '-') {
    out.pop_back();
  }
  return out.empty() ? "machine" : out;
}

MachineInfo read_machine_info() {
  MachineInfo info;
  info.cpu = cpu_model();
  info.cores_available = available_cores();
  info.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  info.last_level_cache_bytes = last_level_cache_bytes();
  utsname name{};
  if (uname(&name) == 0) {
    info.os = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  info.id = slug(info.cpu) + "-" + std::to_string(info.cores_available) + "c";
  return info;
}

}  // namespace

const MachineInfo& machine_info() {
  static const MachineInfo info = read_machine_info();
  return info;
}

int available_cores() {
  // Not the calling thread's affinity: OMP_PROC_BIND pins the initial thread to one core.
  return omp_get_num_procs();
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : -1.0;
}

}  // namespace sparserepro
