#include "harness/surroundings.hpp"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace sparserepro {
namespace {

namespace fs = std::filesystem;

/// Names of the entries of a folder without "." and ".."; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  if (DIR* const open = opendir(folder.c_str()); open != nullptr) {
    while (const dirent* const entry = readdir(open)) {
      if (entry->d_name[0] != '.') {
        names.emplace_back(entry->d_name);
      }
    }
    closedir(open);
  }
  return names;
}

/// Processors that any thread of this process may run on.
std::set<int> own_processors() {
  std::set<int> all;
  for (const std::string& thread : names_in("/proc/self/task")) {
    cpu_set_t mask;
    if (sched_getaffinity(std::atoi(thread.c_str()), sizeof mask, &mask) == 0) {
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &mask)) {
          all.insert(cpu);
        }
      }
    }
  }
  return all;
}

/// Adds the lines cpu<n> of /proc/stat.
void read_stat(const std::string& root, const std::set<int>& processors, Counters& counters) {
  static const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream file(root + "/proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double user, nice, system, idle, iowait, irq, softirq, steal;
    if (words >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal &&
        name.size() > 3 && name.starts_with("cpu") &&
        processors.contains(std::atoi(name.c_str() + 3))) {
      counters.busy_s =
          counters.busy_s.value_or(0) + (user + nice + system + irq + softirq) * tick_s;
      counters.stolen_s = counters.stolen_s.value_or(0) + steal * tick_s;
    }
  }
}

/// Seconds in which the control group (version 2) and those above it were held back by their quota.
std::optional<double> held_seconds(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<double> seconds;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) {
      continue;
    }
    for (fs::path group = line.substr(3);; group = group.parent_path()) {
      std::ifstream file(root + "/sys/fs/cgroup" + group.string() + "/cpu.stat");
      double value = 0;
      for (std::string name; file >> name >> value;) {
        if (name == "throttled_usec") {
          seconds = seconds.value_or(0) + value * 1e-6;
        }
      }
      if (group == group.parent_path()) {
        break;
      }
    }
  }
  return seconds;
}

std::optional<double> mean_clock_mhz(const std::string& root, const std::set<int>& processors) {
  double sum_khz = 0;
  int count = 0;
  for (const int cpu : processors) {
    std::ifstream file(root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/cpufreq/scaling_cur_freq");
    if (double khz = 0; file >> khz) {
      sum_khz += khz;
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum_khz / count * 1e-3);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Growth of a counter over `whole`, between 0 and 1.
std::optional<double> share(const std::optional<double>& before, const std::optional<double>& after,
                            double whole, double less = 0) {
  if (!before || !after || !(whole > 0)) {
    return std::nullopt;
  }
  return std::clamp((*after - *before - less) / whole, 0.0, 1.0);
}

}  // namespace

Counters read_counters(const std::string& root) {
  const std::set<int> processors = own_processors();
  Counters counters;
  counters.processors = static_cast<int>(processors.size());
  counters.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  counters.own_s = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  read_stat(root, processors, counters);
  counters.held_s = held_seconds(root);
  counters.cpu_mhz = mean_clock_mhz(root, processors);
  return counters;
}

Surroundings between(const Counters& before, const Counters& after) {
  const double wall_s = after.wall_s - before.wall_s, whole_s = wall_s * after.processors;
  return {.others = share(before.busy_s, after.busy_s, whole_s, after.own_s - before.own_s),
          .stolen = share(before.stolen_s, after.stolen_s, whole_s),
          .quota = share(before.held_s, after.held_s, wall_s),
          .cpu_mhz = after.cpu_mhz};
}

std::map<std::string, double> ThreadWaits::read() const {
  std::map<std::string, double> waits;
  for (const std::string& thread : names_in(folder_)) {
    std::ifstream file(folder_ + "/" + thread + "/schedstat");
    if (double ran_ns = 0, waited_ns = 0; file >> ran_ns >> waited_ns) {
      waits[thread] = waited_ns * 1e-9;
    }
  }
  return waits;
}

std::optional<double> ThreadWaits::longest() const {
  std::optional<double> most;
  for (const auto& [thread, seconds] : read()) {
    const auto found = before_.find(thread);
    const double grown = seconds - (found == before_.end() ? 0.0 : found->second);
    most = std::max(most.value_or(0.0), grown);
  }
  return most;
}

}  // namespace sparserepro
