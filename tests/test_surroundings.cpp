// What other programs take of the processors: counters of a made-up system, and of this one.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "harness/surroundings.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace sparserepro {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

/// Lets a thread run on one processor alone; without end until `stop`.
std::thread busy_on(int processor, std::atomic<bool>& stop) {
  return std::thread([processor, &stop] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
    while (!stop) {
    }
  });
}

}  // namespace

TEST_CASE("counters are those of the own processors and of all groups above") {
  const testing::ScratchFolder scratch;
  const std::filesystem::path root = scratch.path();
  std::string stat = "cpu 1 1 1 1 1 1 1 1 0 0\n";
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {  // whatever processors this process has
    stat += "cpu" + std::to_string(cpu) + " 100 20 30 5000 600 7 8 9 50 0\n";
    write(root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq"),
          "2500000");
  }
  write(root / "proc/stat", stat + "intr 5\n");
  write(root / "proc/self/cgroup", "0::/a/b");
  write(root / "sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nthrottled_usec 2000000");
  write(root / "sys/fs/cgroup/a/cpu.stat", "throttled_usec 500000");
  const Counters counters = read_counters(root.string());
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  REQUIRE(counters.processors > 0);
  CHECK(counters.busy_s == Approx(counters.processors * 165 * tick_s));
  CHECK(counters.stolen_s == Approx(counters.processors * 9 * tick_s));
  CHECK(counters.held_s == Approx(2.5));
  CHECK(counters.cpu_mhz == Approx(2500));
}

TEST_CASE("a system that tells nothing") {
  const testing::ScratchFolder scratch;
  const Counters counters = read_counters(scratch.path());
  CHECK_FALSE(counters.busy_s.has_value());
  CHECK_FALSE(counters.stolen_s.has_value());
  CHECK_FALSE(counters.held_s.has_value());
  CHECK_FALSE(counters.cpu_mhz.has_value());
  const Surroundings found = between(counters, counters);
  CHECK_FALSE(found.others.has_value());
  CHECK_FALSE(ThreadWaits(scratch.path()).longest().has_value());
}

TEST_CASE("shares are of the time of all processors, or of the time") {
  const Counters before{.wall_s = 10,
                        .own_s = 1,
                        .processors = 2,
                        .busy_s = 100,
                        .stolen_s = 3,
                        .held_s = 1,
                        .cpu_mhz = 2000};
  Counters after{.wall_s = 20,
                 .own_s = 6,
                 .processors = 2,
                 .busy_s = 112,
                 .stolen_s = 4,
                 .held_s = 3,
                 .cpu_mhz = 1500};
  const Surroundings found = between(before, after);
  CHECK(found.others == Approx(0.35));  // 12 s busy, 5 s of them own, of 20 s
  CHECK(found.stolen == Approx(0.05));
  CHECK(found.quota == Approx(0.2));
  CHECK(found.cpu_mhz == Approx(1500));
  after.own_s = 30;  // ticks round
  CHECK(between(before, after).others == 0.0);
}

TEST_CASE("the wait is that of the thread that waited longest since begin") {
  const testing::ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path();
  write(folder / "11/schedstat", "5 1000000000 7");
  write(folder / "12/schedstat", "5 2000000000 7");
  ThreadWaits waits(folder.string());
  waits.begin();
  CHECK(waits.longest() == 0.0);
  write(folder / "11/schedstat", "9 1250000000 8");
  write(folder / "12/schedstat", "9 2100000000 8");
  CHECK(waits.longest() == Approx(0.25));
  write(folder / "13/schedstat", "9 500000000 8");  // began in between
  CHECK(waits.longest() == Approx(0.5));
}

TEST_CASE("a thread that shares its processor waits, and its process sees it") {
  ThreadWaits waits;
  waits.begin();
  if (!waits.longest()) {
    SKIP("the kernel does not count how long threads wait");
  }
  std::atomic<bool> stop = false;
  const int processor = sched_getcpu();
  std::thread one = busy_on(processor, stop), other = busy_on(processor, stop);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  waits.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const double waited_s = waits.longest().value();
  stop = true;
  one.join();
  other.join();
  CHECK(waited_s > 0.1);  // about half of the time, more beside other programs
}

}  // namespace sparserepro
