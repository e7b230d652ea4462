// main() for Catch2, version 3 or 2, with exit codes that tell failed from skipped: 0 passed,
// 1 failed, 2 no test case ran, 4 all test cases were skipped, as version 3.7.1 tells them apart.
// Versions before it return the number of failed assertions, which may be 2 or 4 as well.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

namespace {

bool any_failed = false;

#ifdef SPARSEREPRO_CATCH2_V3

struct Listener : Catch::EventListenerBase {
  using EventListenerBase::EventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    any_failed = stats.totals.assertions.failed + stats.totals.testCases.failed > 0;
  }
};

int exit_code(int code_of_session) {
  return any_failed ? 1 : code_of_session;
}

#else

bool run_ended = false;
int cases_run = 0, cases_skipped = 0;

struct Listener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    test_case_skipped = false;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    ++cases_run;
    cases_skipped += test_case_skipped ? 1 : 0;
  }
  void testRunEnded(const Catch::TestRunStats& stats) override {
    TestEventListenerBase::testRunEnded(stats);
    any_failed = stats.totals.assertions.failed + stats.totals.testCases.failed > 0;
    run_ended = true;  // not where tests are listed
  }
};

int exit_code(int code_of_session) {
  constexpr int no_case_ran = 2;
  constexpr int all_skipped = 4;  // SKIP_RETURN_CODE in tests/CMakeLists.txt
  if (any_failed) {
    return 1;
  }
  if (!run_ended) {
    return code_of_session;
  }
  return cases_run == 0 ? no_case_ran : cases_skipped == cases_run ? all_skipped : code_of_session;
}

#endif

CATCH_REGISTER_LISTENER(Listener)

}  // namespace

int main(int argc, char** argv) {
  return exit_code(Catch::Session().run(argc, argv));
}
