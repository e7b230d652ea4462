#include "common/thread_binding.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace sparserepro {

void bind_openmp_threads(char** argv) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) {
    return;
  }
  setenv("OMP_PROC_BIND", "close", 0);
  setenv("OMP_PLACES", "cores", 0);
  setenv("OMP_DYNAMIC", "false", 0);
  execv("/proc/self/exe", argv);
  std::cerr << "threads are not bound to cores: " << std::strerror(errno) << '\n';
}

}  // namespace sparserepro
