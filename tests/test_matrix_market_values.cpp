// The values that the Matrix Market reader reads: the nearest doubles, and NaN with
// `allow_nonfinite`.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "io/matrix_market.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

double read_one_value(const std::string& number) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + number + "\n";
  return parse_matrix_market(text, "m").csr.values.at(0);
}

}  // namespace

TEST_CASE("values are the nearest doubles") {
  constexpr int count = 40000;
  constexpr const char* formats[] = {"%.17g", "%.6g", "%.16e", "%.20e", "%.3f"};
  std::mt19937_64 random(11);
  std::vector<std::string> numbers;
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n1 1 " + std::to_string(count) + "\n";
  while (numbers.size() < count) {
    const std::uint64_t bits = random();
    const int n = static_cast<int>(numbers.size());
    double value;  // of any magnitude, or of a magnitude that is common in files
    std::memcpy(&value, &bits, sizeof value);
    if (n % 2 == 0) {
      value = std::ldexp(static_cast<double>(bits >> 11), n % 90 - 80);
    }
    if (std::isfinite(value)) {
      char number[400];
      std::snprintf(number, sizeof number, formats[n % 5], value);
      numbers.emplace_back(number);
      text += "1 1 " + numbers.back() + "\n";
    }
  }
  const auto csr = parse_matrix_market(text, "m").csr;
  REQUIRE(csr.values.size() == numbers.size());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const double want = std::strtod(numbers[n].c_str(), nullptr);
    if (std::memcmp(&csr.values[n], &want, sizeof want) != 0) {
      FAIL_CHECK(numbers[n] << " reads as " << csr.values[n]);
    }
  }
}

TEST_CASE("the edges of the short way to read a number") {
  for (const char* text : {"9007199254740992",
                           "9007199254740993",
                           "9007199254740994",
                           "9007199254740992e22",
                           "9007199254740992e23",
                           "1e22",
                           "1e23",
                           "1e-22",
                           "1e-23",
                           "9007199254740993e-22",
                           "0.0000000000000000000001",
                           "0.00000000000000000000001",
                           "9999999999999999999",
                           "99999999999999999999",
                           "18446744073709551616",
                           "18446744073709551617",
                           "-0",
                           "-0.0e5",
                           "0e9999",
                           "1E+0022",
                           "1e00000022",
                           "123456789012345",
                           "1234567890123456"}) {
    INFO(text);
    const double got = read_one_value(text);
    const double want = std::strtod(text, nullptr);
    CHECK(got == want);
    CHECK(std::signbit(got) == std::signbit(want));
  }
}

TEST_CASE("NaN and infinities are read when asked for") {
  const std::string text =
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 -inf\n2 2 NaN\n";
  CHECK_THROWS_WITH(parse_matrix_market(text, "m"), "m:3: value '-inf' is not finite");
  const auto csr = parse_matrix_market(text, "m", {.allow_nonfinite = true}).csr;
  REQUIRE(csr.values.size() == 3);
  CHECK(csr.values[0] == -std::numeric_limits<double>::infinity());
  CHECK(csr.values[1] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(csr.values[2]));
}
