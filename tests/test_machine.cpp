// Facts of machine, memory and instruction sets in records.
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/restart.hpp"
#include "formats/huge_pages.hpp"
#include "formats/processor.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace sparserepro;

namespace {

/// A temporary root folder with files as in /proc and /sys.
class Tree {
 public:
  Tree() : root_(std::filesystem::temp_directory_path() / "sparserepro-test-machine-XXXXXX") {
    std::string name = root_.string();
    root_ = mkdtemp(name.data());
  }
  ~Tree() { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  MachineInfo read() const { return read_machine_info(root_.string()); }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("a machine that tells nothing") {
  const MachineInfo info = Tree().read();
  CHECK_FALSE(info.smt.has_value());
  CHECK_FALSE(info.sockets.has_value());
  CHECK(info.numa_nodes == 1);
  CHECK(info.governor.empty());
  CHECK(info.huge_page_mode == "unknown");
  CHECK(info.last_level_cache_bytes == 0);
}

TEST_CASE("like machines have ids of their own") {
  const auto id = [](const char* installation, const char* host) {
    const Tree tree;
    tree.write("proc/cpuinfo", "model name\t: Made-up(R) CPU @ 2.00GHz");
    tree.write("etc/machine-id", installation);
    tree.write("proc/sys/kernel/hostname", host);
    return tree.read().id;
  };
  const std::string first = id("0123456789abcdef", "node");
  CHECK(first.starts_with("made-up-"));
  CHECK(first == id("0123456789abcdef", "renamed"));
  CHECK(first != id("0123456789abcdee", "node"));
  CHECK(first.find("0123456789abcdef") == std::string::npos);
  CHECK(id("", "node-1") == id("uninitialized", "node-1"));
  CHECK(id("", "node-1") != id("", "node-2"));
}

TEST_CASE("two sockets with two NUMA nodes each, SMT and two governors") {
  const Tree tree;
  const std::string cpus = "sys/devices/system/cpu/", nodes = "sys/devices/system/node/";
  for (int cpu = 0; cpu < 12; ++cpu) {
    const std::string folder = cpus + "cpu" + std::to_string(cpu);
    tree.write(folder + "/topology/physical_package_id", cpu < 6 ? "0" : "1");
    tree.write(folder + "/cpufreq/scaling_governor", cpu == 11 ? "powersave" : "performance");
  }
  tree.write(cpus + "cpufreq/boost", "1");
  tree.write(cpus + "smt/active", "1");
  for (const char* const node : {"node0", "node1", "node2", "node3"}) {
    tree.write(nodes + node + "/cpulist", "0");
  }
  tree.write(nodes + "online", "0-3");
  tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  tree.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Made-up CPU @ 2.00GHz");
  tree.write(cpus + "cpu0/cache/index2/size", "1024K");
  tree.write(cpus + "cpu0/cache/index3/size", "32M");
  for (const int cpu : {0, 1, 2, 3}) {
    const std::string folder = cpus + "cpu" + std::to_string(cpu);
    tree.write(folder + "/cache/index3/shared_cpu_list", cpu < 2 ? "0-1" : "2-3");
  }
  const MachineInfo info = tree.read();
  CHECK(info.cpu == "Made-up CPU @ 2.00GHz");
  CHECK(info.last_level_cache_bytes == 2 * (32 << 20));
  CHECK(info.smt == true);
  CHECK(info.sockets == 2);
  CHECK(info.numa_nodes == 4);
  CHECK(info.governor == "performance/powersave");
  CHECK(info.huge_page_mode == "madvise");
}

TEST_CASE("SMT that is off, and the other modes of huge pages") {
  for (const std::string mode : {"always", "madvise", "never"}) {
    const Tree tree;
    tree.write("sys/devices/system/cpu/smt/active", "0");
    tree.write("sys/kernel/mm/transparent_hugepage/enabled", "[" + mode + "] other");
    CHECK(tree.read().smt == false);
    CHECK(tree.read().huge_page_mode == mode);
  }
}

TEST_CASE("the allocator's settings are those of the environment") {
  const char* const before = std::getenv("GLIBC_TUNABLES");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("GLIBC_TUNABLES");
  CHECK(read_machine_info("").allocator.ends_with(": defaults"));
  setenv("GLIBC_TUNABLES", "glibc.malloc.mmap_max=0:glibc.cpu.x86_ibt=off:glibc.malloc.hugetlb=1",
         1);
  CHECK(read_machine_info("").allocator.ends_with(": mmap_max=0, hugetlb=1"));
  if (before == nullptr) {
    unsetenv("GLIBC_TUNABLES");
  } else {
    setenv("GLIBC_TUNABLES", kept.c_str(), 1);
  }
}

TEST_CASE("huge pages are read from the mapping that has the address") {
  const std::string smaps =
      "1000-3000 rw-p 00000000 00:00 0                          [heap]\n"
      "Size:                  8 kB\n"
      "AnonHugePages:      2048 kB\n"
      "7f00-8000 rw-p 00000000 00:00 0\n"
      "AnonHugePages:         0 kB\n";
  CHECK(huge_kib_at(smaps, 0x1000) == 2048);
  CHECK(huge_kib_at(smaps, 0x2fff) == 2048);
  CHECK(huge_kib_at(smaps, 0x3000) == 0);
  CHECK(huge_kib_at(smaps, 0x7f10) == 0);
  CHECK(huge_kib_at("", 0x1000) == 0);
}

TEST_CASE("a process that has huge pages off is given none") {
  if (!disable_huge_pages(true)) {
    SKIP("the system cannot turn huge pages off for a process");
  }
  CHECK_FALSE(arrays_have_huge_pages());
  Buffer<char> advised;
  advised.reserve(std::size_t{64} << 20);
  advise_huge_pages(advised);
  advised.resize(advised.capacity(), '\1');
  std::ifstream file("/proc/self/smaps");
  const std::string smaps{std::istreambuf_iterator<char>(file), {}};
  CHECK(huge_kib_at(smaps, reinterpret_cast<std::uintptr_t>(advised.data()) + (32 << 20)) == 0);
  CHECK(disable_huge_pages(false));
}

TEST_CASE("the option --huge-pages is read before the command line is parsed") {
  CHECK(wants_huge_pages({"spmm", "a.mtx"}));
  CHECK(wants_huge_pages({"spmm", "--huge-pages", "yes"}));
  CHECK_FALSE(wants_huge_pages({"spmm", "--huge-pages", "no", "a.mtx"}));
  CHECK_FALSE(wants_huge_pages({"spmm", "--huge-pages=no"}));
  CHECK(wants_huge_pages({"spmm", "--huge-pages"}));
  CHECK(malloc_settings(true) != malloc_settings(false));
  CHECK(malloc_settings(true).find("hugetlb=1") != std::string::npos);
}

TEST_CASE("unused memory goes back to the system") {
  if (testing::sanitizer_allocates) {
    SKIP("the sanitizer's allocator is in the place of malloc");
  }
  mallopt(M_MMAP_MAX, 0);  // all blocks from the heap, as in a driver
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const auto resident_pages = [] {
    std::ifstream file("/proc/self/statm");
    long total = 0, resident = 0;
    file >> total >> resident;
    return resident;
  };
  { Buffer<char>(bytes, '\1'); }
  const long kept = resident_pages();
  release_unused_memory();
  CHECK(kept - resident_pages() > static_cast<long>(bytes / 4096 / 2));
}

TEST_CASE("this program is not compiled for more than this processor has") {
  CHECK(processor_refusal().empty());
  const std::string compiled = build_info().vector_extension;
  bool known = false;
  for (const auto extension : {VectorExtension::other, VectorExtension::neon, VectorExtension::sse2,
                               VectorExtension::avx2, VectorExtension::avx512}) {
    known = known || (compiled == to_string(extension) && extension <= widest_vector_extension());
  }
  CHECK(known);
#ifdef __AVX512VL__
  CHECK(compiled == "avx512");
#endif
}
