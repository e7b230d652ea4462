// Threads that stay where they are, in a driver started by hand as in one started by the workflow.
#pragma once

namespace sparserepro {

/// Unless OMP_PROC_BIND says otherwise, starts the program again with OpenMP's threads bound to
/// cores next to one another: the runtime reads its environment once, when it is loaded. Call it
/// first thing in main; says so on stderr when the program cannot be started again.
void bind_openmp_threads(char** argv);

}  // namespace sparserepro
