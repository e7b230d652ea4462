// Catch2, v3 or v2.
#pragma once

#ifdef SPARSEREPRO_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

/// Set by SKIP; main_v2.cpp reads it after each test case.
inline bool test_case_skipped = false;

/// As in version 3.3 and later: ends the test case, which then counts as skipped, and not as
/// passed, unless a check failed before. The exception ends a test case without failing it.
#define SKIP(...)                        \
  do {                                   \
    WARN("skipped: " << __VA_ARGS__);    \
    test_case_skipped = true;            \
    throw Catch::TestFailureException(); \
  } while (false)
#endif
