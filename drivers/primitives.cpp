// Driver of the problem `primitives`: the array procedures of which transposition is composed.
#include "primitives/primitives.hpp"

#include "common/driver.hpp"

int main(int argc, char** argv) {
  using namespace sparserepro;
  return run_driver<PrimitivesProblem>(
      argc, argv,
      {.description = "Runs a procedure (scan, segmented_sort, merge, index_to_pointers, "
                      "pointers_to_index) on an array with every algorithm for it, "
                      "checks each answer and compares the times.",
       .source_help = "Array of random integers: random, or random:seed=7,distinct=10 to set its "
                      "seed or its number of different values [random:seed=1]",
       .default_source = "random:seed=1",
       .table = primitives_algorithms(),
       .load = load_array});
}
