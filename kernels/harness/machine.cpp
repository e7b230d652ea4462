#include "harness/machine.hpp"

#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "formats/available_cores.hpp"
#include "harness/caches.hpp"
#include "io/sha256.hpp"

namespace sparserepro {
namespace {

std::string cpu_model(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
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

/// First line of a file; "" if it cannot be read.
std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The folders <folder>/<word><number>.
std::vector<std::filesystem::path> numbered(const std::string& folder, const std::string& word) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(word) && name.size() > word.size() &&
        name.find_first_not_of("0123456789", word.size()) == std::string::npos) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// The distinct first lines of `file` over all processors.
std::set<std::string> of_all_processors(const std::string& root, const std::string& file) {
  std::set<std::string> lines;
  for (const auto& processor : numbered(root + "/sys/devices/system/cpu", "cpu")) {
    if (const std::string line = first_line(processor / file); !line.empty()) {
      lines.insert(line);
    }
  }
  return lines;
}

/// The word in brackets of "always [madvise] never".
std::string huge_page_mode(const std::string& root) {
  const std::string modes = first_line(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  for (const std::string mode : {"always", "madvise", "never"}) {
    if (modes.find("[" + mode + "]") != std::string::npos) {
      return mode;
    }
  }
  return "unknown";
}

void read_layout(const std::string& root, MachineInfo& info) {
  const std::string smt = first_line(root + "/sys/devices/system/cpu/smt/active");
  if (smt == "0" || smt == "1") {
    info.smt = smt == "1";
  }
  const auto packages = of_all_processors(root, "topology/physical_package_id");
  if (!packages.empty()) {
    info.sockets = static_cast<int>(packages.size());
  }
  const auto nodes = numbered(root + "/sys/devices/system/node", "node");
  info.numa_nodes = std::max(1, static_cast<int>(nodes.size()));
  for (const std::string& governor : of_all_processors(root, "cpufreq/scaling_governor")) {
    info.governor += (info.governor.empty() ? "" : "/") + governor;
  }
  info.huge_page_mode = huge_page_mode(root);
}

/// "glibc 2.36: mmap_max=0, trim_threshold=..."; the settings are read from GLIBC_TUNABLES.
std::string allocator_settings() {
  std::string text = std::string("glibc ") + gnu_get_libc_version() + ": ";
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  const std::string all = tunables == nullptr ? "" : tunables;
  const std::string prefix = "glibc.malloc.";
  std::string settings;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    if (all.compare(begin, prefix.size(), prefix) == 0) {
      settings += (settings.empty() ? "" : ", ") +
                  all.substr(begin + prefix.size(), end - begin - prefix.size());
    }
    begin = end + 1;
  }
  return text + (settings.empty() ? "defaults" : settings);
}

/// Lower-case words of letters and digits joined by '-', without trademark signs.
std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '@') {  // a clock rate follows
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

/// Six hexadecimal digits that distinguish this installation from others with the same processor:
/// a digest of /etc/machine-id, else of the host's name. machine-id(5) asks that the number itself
/// not be published.
std::string installation_digest(const std::string& root) {
  std::string installation = first_line(root + "/etc/machine-id");
  if (installation.empty() || installation == "uninitialized") {
    installation = first_line(root + "/proc/sys/kernel/hostname");
  }
  return sha256_hex("sparserepro machine " + installation).substr(0, 6);
}

}  // namespace

MachineInfo read_machine_info(const std::string& root) {
  MachineInfo info;
  info.cpu = cpu_model(root);
  info.cores_available = available_cores();
  info.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const Caches caches = read_caches(root);
  info.last_level_cache_bytes = caches.last_level_bytes * caches.last_level_count;
  utsname name{};
  if (uname(&name) == 0) {
    info.os = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  info.id = slug(info.cpu) + "-" + std::to_string(info.cores_available) + "c-" +
            installation_digest(root);
  read_layout(root, info);
  info.allocator = allocator_settings();
  return info;
}

const MachineInfo& machine_info() {
  static const MachineInfo info = read_machine_info("");
  return info;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : -1.0;
}

}  // namespace sparserepro
