// Catch2, version 3 or 2, with SKIP in both.
#pragma once

#ifdef SPARSEREPRO_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

/// Whether the test case was skipped: set by SKIP, read by main.cpp.
inline bool test_case_skipped = false;

/// SKIP of version 3.3: ends the test case, which counts as skipped unless a check has failed
/// before. The exception ends a test case without failing it.
#define SKIP(...)                        \
  do {                                   \
    WARN("skipped: " << __VA_ARGS__);    \
    test_case_skipped = true;            \
    throw Catch::TestFailureException(); \
  } while (false)
#endif
