// main() for Catch2 v2. A run whose test cases are all skipped ends with the exit code of version
// 3.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

namespace {

int cases_run = 0, cases_skipped = 0;

struct SkipCounter : Catch::TestEventListenerBase {
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
};
CATCH_REGISTER_LISTENER(SkipCounter)

constexpr int all_skipped = 4;  // SKIP_RETURN_CODE in tests/CMakeLists.txt

}  // namespace

int main(int argc, char** argv) {
  const int failed = Catch::Session().run(argc, argv);
  return failed == 0 && cases_run > 0 && cases_skipped == cases_run ? all_skipped : failed;
}
