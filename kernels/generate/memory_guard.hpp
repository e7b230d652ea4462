// A limit that turns a lack of memory into std::bad_alloc. Without it the system grants memory that
// it does not have, and kills the process that uses it.
#pragma once

#include <new>
#include <string>

namespace sparserepro {

/// Share of the free memory that guard_memory() grants; page tables and the system take the rest.
constexpr double guarded_share = 0.97;

/// Bytes that this process may take now: of the machine (MemAvailable), and of each control group
/// its limit less what it uses beside cached files.
double free_memory_bytes();

/// Limits the private memory of this process (RLIMIT_DATA) to what it has and `guarded_share` of
/// what is free, arrays that nothing has touched included. A limit of the user's own (ulimit -d)
/// stands. Returns whether the limit was set.
bool guard_memory();

/// What is known of a lack of memory, to follow a message: ": an array of 24.6 GiB does not
/// fit; 3.1 of 23.5 GiB are left", where the former is known and the latter limited. Of two limits,
/// the guard's or ulimit -d, and ulimit -v, it names the one that leaves least.
std::string memory_words(const std::bad_alloc& error);

}  // namespace sparserepro
