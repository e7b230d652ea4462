#include "common/affinity.hpp"

#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "formats/available_cores.hpp"

namespace sparserepro {
namespace {

constexpr int word_bits = 8 * sizeof(unsigned long);
constexpr int mask_words = 8192 / word_bits;  // Linux knows at most 8192 processors

// The first thread's affinity mask when the process began, and its bytes; at most 0: unknown.
unsigned long first_mask[mask_words];
long first_mask_bytes = 0;

/// The system call without the C library's wrapper, which takes masks of 1024 processors.
__attribute__((no_sanitize("address", "thread", "undefined"))) void keep_first_mask(int, char**,
                                                                                    char**) {
  first_mask_bytes = syscall(SYS_sched_getaffinity, 0, sizeof first_mask, first_mask);
}

// The loader calls this before the constructors of all libraries; runtimes bind in theirs.
__attribute__((section(".preinit_array"),
               used)) void (*keep_first_mask_early)(int, char**, char**) = keep_first_mask;

using Mask = std::array<unsigned long, mask_words>;

std::vector<int> processors_of(const Mask& mask) {
  std::vector<int> processors;
  for (std::size_t p = 0; p < mask_words * word_bits; ++p) {
    if ((mask[p / word_bits] >> (p % word_bits) & 1) != 0) {
      processors.push_back(static_cast<int>(p));
    }
  }
  return processors;
}

/// A matching of threads and processors that augmenting paths enlarge.
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<int>>& threads)
      : threads_(threads), owner_(mask_words * word_bits, -1), seen_(owner_.size()) {}

  /// Whether thread t finds a processor, others moving on where they have to.
  bool add(int t) {
    std::fill(seen_.begin(), seen_.end(), false);
    return place(t);
  }

 private:
  bool place(int t) {
    const std::vector<int>& own = threads_[static_cast<std::size_t>(t)];
    const auto free = std::find_if(own.begin(), own.end(), [&](int p) { return owner_[p] < 0; });
    if (free != own.end()) {
      owner_[*free] = t;
      return true;
    }
    return std::any_of(own.begin(), own.end(), [&](int p) {
      if (seen_[p]) {
        return false;
      }
      seen_[p] = true;
      const bool moved = place(owner_[p]);
      owner_[p] = moved ? t : owner_[p];
      return moved;
    });
  }

  const std::vector<std::vector<int>>& threads_;
  std::vector<int> owner_;  // of each processor; -1: none
  std::vector<bool> seen_;
};

}  // namespace

std::vector<OpenMpRuntime> openmp_runtimes() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(object->dlpi_name);
        return 0;
      },
      &files);
  std::vector<OpenMpRuntime> runtimes;
  for (const std::string& file : files) {
    void* const object =
        dlopen(file.empty() ? nullptr : file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (object == nullptr) {
      continue;
    }
    void* const symbol = dlsym(object, "omp_get_num_procs");
    dlclose(object);
    Dl_info definition{};
    if (symbol == nullptr || dladdr(symbol, &definition) == 0) {
      continue;
    }
    const auto processors = reinterpret_cast<int (*)()>(symbol);
    if (std::none_of(runtimes.begin(), runtimes.end(),
                     [&](const OpenMpRuntime& known) { return known.processors == processors; })) {
      runtimes.push_back({definition.dli_fname, processors});
    }
  }
  return runtimes;
}

int first_processors() {
  int count = 0;
  for (long w = 0; w * static_cast<long>(sizeof first_mask[0]) < first_mask_bytes; ++w) {
    count += std::popcount(first_mask[w]);
  }
  return count;
}

void restore_affinity() {
  if (first_mask_bytes > 0) {
    syscall(SYS_sched_setaffinity, 0, first_mask_bytes, first_mask);
  }
}

std::string runtimes_refusal(const std::vector<OpenMpRuntime>& runtimes, int processors) {
  std::string counts;
  bool too_few = false;
  for (const OpenMpRuntime& runtime : runtimes) {
    const int counted = runtime.processors();
    too_few = too_few || counted < processors;
    counts += (counts.empty() ? "" : ", ") + std::to_string(counted) + " in " + runtime.file;
  }
  if (!too_few || runtimes.size() < 2) {
    return "";
  }
  return "several OpenMP runtimes count the " + std::to_string(processors) +
         " processors of this process: " + counts +
         ". The first to start bound the first thread to one place, and another takes that for "
         "all: set OMP_PROC_BIND=false, or unset it";
}

std::string runtimes_refusal() {
  return runtimes_refusal(openmp_runtimes(), first_processors());
}

std::string runtimes_note(const std::vector<OpenMpRuntime>& runtimes) {
  std::string files;
  for (const OpenMpRuntime& runtime : runtimes) {
    files += (files.empty() ? "" : ", ") + runtime.file;
  }
  return runtimes.size() < 2 ? ""
                             : "threads are not bound to cores: several OpenMP runtimes share this "
                               "process, " +
                                   files;
}

int most_apart(const std::vector<std::vector<int>>& threads) {
  Matching matching(threads);
  int apart = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    apart += matching.add(static_cast<int>(t)) ? 1 : 0;
  }
  return apart;
}

int given_threads(int threads) {
  int given = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    given = omp_get_num_threads();
  }
  return given;
}

int threads_apart(int threads) {
  std::vector<Mask> team(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    Mask& own = team[static_cast<std::size_t>(omp_get_thread_num())];
    syscall(SYS_sched_getaffinity, 0, sizeof own, own.data());
  }
  std::vector<std::vector<int>> lists;
  std::transform(team.begin(), team.end(), std::back_inserter(lists), processors_of);
  return most_apart(lists);
}

int default_threads() {
  return std::max(1, threads_apart(std::min(available_cores(), omp_get_thread_limit())));
}

}  // namespace sparserepro
