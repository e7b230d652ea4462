// The processors of the process and of its threads, and the runtimes that count them.
#include <omp.h>

#include <algorithm>

#include "common/affinity.hpp"
#include "support/catch.hpp"

namespace sparserepro {

TEST_CASE("threads are apart where each can have a processor of its own", "[affinity]") {
  CHECK(most_apart({}) == 0);
  CHECK(most_apart({{3}}) == 1);
  CHECK(most_apart({{0}, {1}, {2}}) == 3);
  CHECK(most_apart({{0}, {0}}) == 1);
  CHECK(most_apart({{0, 1}, {0, 1}, {0, 1}}) == 2);
  CHECK(most_apart({{0, 1}, {0}}) == 2);  // the first one moves on
  CHECK(most_apart({{0, 1}, {0, 2}, {0}, {2}}) == 3);
  CHECK(most_apart({{0}, {0}, {1, 2, 3}, {1, 2, 3}}) == 3);  // four processors, two share one
  CHECK(most_apart({{}, {7000}}) == 1);
}

TEST_CASE("a team has a processor for each of its threads", "[affinity]") {
  const int processors = first_processors();
  REQUIRE(processors >= 1);
  CHECK(processors == omp_get_num_procs());
  CHECK(threads_apart(1) == 1);
  CHECK(threads_apart(processors) == processors);
  CHECK(threads_apart(processors + 1) == processors);
  CHECK(default_threads() == processors);
}

TEST_CASE("the runtime of this program is found once", "[affinity]") {
  const auto runtimes = openmp_runtimes();
  const auto own = std::count_if(runtimes.begin(), runtimes.end(), [](const OpenMpRuntime& one) {
    return one.processors == &omp_get_num_procs;
  });
  CHECK(own == 1);
  CHECK(runtimes_refusal().empty());
}

TEST_CASE("several runtimes are told", "[affinity]") {
  const OpenMpRuntime one{"one.so", [] { return 1; }}, two{"two.so", [] { return 1; }};
  CHECK(runtimes_note({}).empty());
  CHECK(runtimes_note({one}).empty());
  CHECK(runtimes_note({one, two}).ends_with("process, one.so, two.so"));
}

TEST_CASE("of several runtimes each has to count all processors", "[affinity]") {
  const OpenMpRuntime all{"all.so", [] { return 8; }}, one{"one.so", [] { return 1; }};
  CHECK(runtimes_refusal({all}, 8).empty());
  CHECK(runtimes_refusal({all, all}, 8).empty());
  CHECK(runtimes_refusal({one}, 8).empty());  // as its settings ask
  CHECK(runtimes_refusal({one, one}, 1).empty());
  CHECK(runtimes_refusal({one, one}, 0).empty());  // unknown
  for (const auto& runtimes : {std::vector{all, one}, std::vector{one, all}}) {
    const std::string refusal = runtimes_refusal(runtimes, 8);
    CHECK(refusal.find("8 in all.so") != std::string::npos);
    CHECK(refusal.find("1 in one.so") != std::string::npos);
    CHECK(refusal.find("set OMP_PROC_BIND=false, or unset it") != std::string::npos);
  }
}

}  // namespace sparserepro
