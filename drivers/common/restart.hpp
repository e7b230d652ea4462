// Settings of OpenMP and of the C library's allocator, which both are read when a program is
// loaded. A driver restarts itself to have them, whether the workflow or a user starts it.
#pragma once

#include <string>
#include <vector>

namespace sparserepro {

/// Value of GLIBC_TUNABLES for the drivers. Blocks of all sizes are allocated from the heap, so
/// that a released block is used again without page faults. With `huge_pages` the heap asks for
/// huge pages.
std::string malloc_settings(bool huge_pages);

/// Whether the command line asks for huge pages: true unless --huge-pages is "no". The parser of
/// the command line later refuses values other than "yes" and "no".
bool wants_huge_pages(const std::vector<std::string>& arguments);

/// Starts the program again unless it has these settings:
///
///   OMP_PROC_BIND   "close": threads bound to neighbouring cores, or "false" where a library has
///                   brought a second runtime of OpenMP; unless it is set already
///   GLIBC_TUNABLES  malloc_settings(); unless it is set already
///   huge pages      disabled for the process if --huge-pages is "no"
///
/// main calls it first. With SPARSEREPRO_RESTART=no in the environment it does nothing, for
/// debuggers and profilers that follow one process. If the program cannot be started again, it
/// prints one line on stderr and returns.
void restart_with_settings(char** argv);

/// Returns unused pages of the heap to the system. The pages of later allocations then lie in the
/// memory of the threads that touch them first.
void release_unused_memory();

}  // namespace sparserepro
