#include "common/restart.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "common/affinity.hpp"
#include "formats/huge_pages.hpp"

namespace sparserepro {
namespace {

/// Sets an environment variable unless it is set; returns whether it set it.
bool set_default(const char* name, const std::string& value) {
  if (std::getenv(name) != nullptr) {
    return false;
  }
  setenv(name, value.c_str(), 0);
  return true;
}

}  // namespace

std::string malloc_settings(bool huge_pages) {
  std::string settings =
      "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776:"
      "glibc.malloc.top_pad=16777216";
  return huge_pages ? settings + ":glibc.malloc.hugetlb=1" : settings;
}

bool wants_huge_pages(const std::vector<std::string>& arguments) {
  const std::string option = "--huge-pages";
  bool wanted = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == option && i + 1 < arguments.size()) {
      wanted = arguments[i + 1] != "no";
    } else if (argument.starts_with(option + "=")) {
      wanted = argument.substr(option.size() + 1) != "no";
    }
  }
  return wanted;
}

void restart_with_settings(char** argv) {
  // A program that was started by /proc/self/exe is called "exe" by ps and top.
  prctl(PR_SET_NAME, std::filesystem::path(argv[0]).filename().c_str(), 0, 0, 0);
  const char* const asked = std::getenv("SPARSEREPRO_RESTART");
  if (asked != nullptr && std::strcmp(asked, "no") == 0) {
    return;
  }
  std::vector<std::string> arguments;
  for (char** argument = argv; *argument != nullptr; ++argument) {
    arguments.emplace_back(*argument);
  }
  const bool huge_pages = wants_huge_pages(arguments);
  bool changed = false;
  const bool binds = openmp_runtimes().size() < 2;
  if (set_default("OMP_PROC_BIND", binds ? "close" : "false")) {
    changed = true;
    setenv("OMP_PLACES", "cores", 0);
    setenv("OMP_DYNAMIC", "false", 0);
  }
  changed = set_default("GLIBC_TUNABLES", malloc_settings(huge_pages)) || changed;
  disable_huge_pages(!huge_pages);
  if (changed) {
    restore_affinity();  // the program that starts inherits it
    execv("/proc/self/exe", argv);
    std::cerr << "cannot start again with the settings of a measurement; threads are not bound to "
                 "cores, and the allocator has its defaults: "
              << std::strerror(errno) << '\n';
  }
}

void release_unused_memory() {
  malloc_trim(0);
}

}  // namespace sparserepro
