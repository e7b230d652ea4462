// The processors that this process may use, and those that its threads have. With OMP_PROC_BIND an
// OpenMP runtime binds the first thread to one place when it is loaded. A second runtime, which a
// library brings, then takes this place for all that the process may use.
#pragma once

#include <string>
#include <vector>

namespace sparserepro {

/// An OpenMP runtime of this process.
struct OpenMpRuntime {
  std::string file;
  int (*processors)();  ///< omp_get_num_procs
};

/// The runtimes that are loaded, each once.
std::vector<OpenMpRuntime> openmp_runtimes();

/// Processors that this process had when it began, before any runtime was loaded; 0: unknown.
int first_processors();

/// Gives this thread the processors that the process had when it began.
void restore_affinity();

/// "" or why threads cannot be measured: of several runtimes one counts fewer processors than the
/// process has.
std::string runtimes_refusal(const std::vector<OpenMpRuntime>& runtimes, int processors);
std::string runtimes_refusal();

/// "" or a note that threads are not bound to cores, since several runtimes share this process.
std::string runtimes_note(const std::vector<OpenMpRuntime>& runtimes);

/// Most threads that have a processor each, where threads[t] lists the processors of thread t.
int most_apart(const std::vector<std::vector<int>>& threads);

/// How many threads a parallel region of `threads` threads has; OMP_THREAD_LIMIT and OMP_DYNAMIC
/// may allow fewer.
int given_threads(int threads);

/// Most threads of a team of `threads` that have a processor each. OMP_THREAD_LIMIT and OMP_DYNAMIC
/// may make the team smaller; OMP_PROC_BIND and OMP_PLACES may bind several of them to one.
int threads_apart(int threads);

/// Threads that algorithms have unless others are asked for: as many as processors, and no more
/// than OpenMP gives a processor each.
int default_threads();

}  // namespace sparserepro
