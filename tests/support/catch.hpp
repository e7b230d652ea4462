// Catch2, v3 or v2.
#pragma once

#ifdef SPARSEREPRO_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
