// How many processors this process may use.
#pragma once

#include <omp.h>

namespace sparserepro {

/// Logical processors of this process's affinity mask. The calling thread's own mask may be
/// narrower: OMP_PROC_BIND pins the initial thread to one core.
inline int available_cores() {
  return omp_get_num_procs();
}

}  // namespace sparserepro
