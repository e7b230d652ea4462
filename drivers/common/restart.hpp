// Settings that the C library and OpenMP read once, when a program is loaded, in a driver started
// by hand as in one started by the workflow.
#pragma once

#include <string>
#include <vector>

namespace sparserepro {

/// Value of GLIBC_TUNABLES for the drivers. Blocks of any size come from the heap and go back to
/// it, so that a block that is released is used again without page faults; with `huge_pages` the
/// heap asks for huge pages.
std::string malloc_settings(bool huge_pages);

/// Whether --huge-pages of the command line says yes; the option's default where it is not given.
/// A wrong value counts as the default here; the command line is parsed later, and refuses it.
bool wants_huge_pages(const std::vector<std::string>& arguments);

/// Starts the program again, unless it was started with all settings:
///   OpenMP's threads bound to cores next to one another (unless OMP_PROC_BIND says otherwise),
///   the settings above (unless GLIBC_TUNABLES says otherwise),
///   and, where huge pages are not wanted, a process that is given none, whatever it asks for.
/// With SPARSEREPRO_RESTART=no in the environment nothing is done, for tools that follow one
/// process (debuggers, profilers). Call it first thing in main; says so on stderr when the program
/// cannot be started again.
void restart_with_settings(char** argv);

/// Gives the heap's unused pages back to the system: what is allocated next is placed by the
/// threads that touch it first, and not where an earlier block happened to lie.
void release_unused_memory();

}  // namespace sparserepro
