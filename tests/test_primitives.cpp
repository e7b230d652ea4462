// Primitives: every algorithm of each procedure, hand-checked answers, the checker itself.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "primitives/peers/fast_division.hpp"
#include "primitives/primitives.hpp"
#include "support/catch.hpp"
#include "support/primitives_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

using Array = Buffer<index_t>;

/// The ten elements 0 2 1 1 1 0 1 0 2 1, in segments of four.
PrimitivesProblem ten(const std::string& procedure) {
  return {load_array("random:seed=5,distinct=3"), instance(procedure, 10, 4, 4)};
}

}  // namespace

TEST_CASE("primitives: the references give the answers found by hand", "[primitives]") {
  CHECK(ten("scan").values() == Array{0, 2, 1, 1, 1, 0, 1, 0, 2, 1});
  CHECK(ten("scan").reference().sums == Buffer<std::int64_t>{0, 0, 2, 3, 4, 5, 5, 6, 6, 8});

  const PrimitivesResult sorted = ten("segmented_sort").reference();
  CHECK(sorted.keys == Array{0, 1, 1, 2, 0, 0, 1, 1, 1, 2});
  CHECK(sorted.payload == Array{0, 2, 3, 1, 5, 7, 4, 6, 9, 8});

  CHECK(ten("merge").values() == Array{0, 1, 1, 2, 0, 0, 1, 1, 1, 2});
  CHECK(ten("merge").payload() == Array{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const PrimitivesResult merged = ten("merge").reference();
  CHECK(merged.keys == Array{0, 0, 0, 1, 1, 1, 1, 2, 1, 2});
  CHECK(merged.payload == Array{0, 4, 5, 1, 2, 6, 7, 3, 8, 9});

  CHECK(ten("index_to_pointers").reference().pointers == Array{0, 3, 8, 10, 10});
  CHECK(ten("pointers_to_index").pointers() == Array{0, 3, 8, 10, 10});
  CHECK(ten("pointers_to_index").reference().index == Array{0, 0, 0, 1, 1, 1, 1, 1, 2, 2});
}

TEST_CASE("primitives: a fast quotient is the exact one", "[primitives]") {
  constexpr std::uint32_t most = 0x7fffffff;
  std::vector<std::uint32_t> divisors{most, most - 1, 1U << 30, (1U << 30) + 1, 3 << 29};
  for (std::uint32_t d = 1; d < 3000; ++d) {
    divisors.push_back(d);
    divisors.push_back(d * 0x9e3779b9U % most + 1);
  }
  for (const std::uint32_t d : divisors) {
    const FastDivisor divide(d);
    REQUIRE(divide.divisor() == d);
    for (const std::uint32_t q : {0U, 1U, 2U, 7U, most / d - 1, most / d}) {
      for (const std::uint32_t n : {q * d - 1, q * d, q * d + 1, q * d + d - 1, most, most - 1}) {
        if (n <= most && divide.quotient(n) != n / d) {
          FAIL(n << " / " << d << " gave " << divide.quotient(n));
        }
      }
    }
  }
}

TEST_CASE("primitives: sums beyond 32 bits are right", "[primitives]") {
  const PrimitivesProblem problem(load_array("random:seed=3"), instance("scan", 5000, 1, 1));
  const PrimitivesResult reference = problem.reference();
  CHECK(reference.sums.back() > std::int64_t{1} << 32);
  CHECK(reference.sums.back() + problem.values().back() ==
        std::accumulate(problem.values().begin(), problem.values().end(), std::int64_t{0}));
  check_all(problem);
}

TEST_CASE("primitives: scan", "[primitives][battery]") {
  std::size_t number = 0;
  for (const std::string& source : battery_sources()) {
    for (const std::int64_t length : {0, 1, 2, 3, 7, 127, 128, 129, 1023, 1024, 1025, 10007}) {
      if (in_part(number++)) {
        check_all({load_array(source), instance("scan", length, 1, 1)});
      }
    }
  }
}

TEST_CASE("primitives: segmented sort and merge", "[primitives][battery]") {
  std::size_t number = 0;
  for (const char* procedure : {"segmented_sort", "merge"}) {
    for (const std::string& source : battery_sources()) {
      const ArrayInput input = load_array(source);
      for (const std::int64_t segment : {1, 2, 5, 16, 128, 300}) {
        for (const std::int64_t length :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, segment - 1, segment, segment + 1,
              2 * segment - 1, 2 * segment, 2 * segment + 1, 3 * segment, 3 * segment + 1,
              std::int64_t{1023}, std::int64_t{1024}, std::int64_t{1025}}) {
          if (in_part(number++)) {
            check_all({input, instance(procedure, length, segment, 1)});
          }
        }
      }
    }
  }
}

TEST_CASE("primitives: splitters of splitters merge long segments", "[primitives]") {
  for (const std::string& source : sources) {
    for (const std::int64_t length : {20000, 20001, 35000, 10001}) {
      check_all({load_array(source), instance("merge", length, 10000, 1)});
    }
  }
}

TEST_CASE("primitives: the two conversions", "[primitives][battery]") {
  std::size_t number = 0;
  for (const char* procedure : {"index_to_pointers", "pointers_to_index"}) {
    for (const std::string& source : battery_sources()) {
      for (const std::int64_t bins : {1, 2, 3, 64, 2049, 5000}) {
        for (const std::int64_t length : {0, 1, 2, 63, 64, 65, 5003}) {
          if (in_part(number++)) {
            check_all({load_array(source), instance(procedure, length, 1, bins)});
          }
        }
      }
    }
  }
}

TEST_CASE("primitives: an algorithm applies to its own procedure alone", "[primitives]") {
  for (const auto& algorithm : primitives_algorithms()) {
    CAPTURE(algorithm.name);
    int applied = 0;
    for (const char* procedure :
         {"scan", "segmented_sort", "merge", "index_to_pointers", "pointers_to_index"}) {
      const bool applies = algorithm.applies(ten(procedure));
      applied += applies;
      CHECK((!applies || algorithm.name.find(procedure) != std::string::npos));
    }
    CHECK(applied == 1);
  }
}

TEST_CASE("primitives: an instance carries only its procedure's parameters", "[primitives]") {
  const ParamValue length = std::int64_t{10};
  const ParamValue four = std::int64_t{4};
  CHECK(ten("scan").parameters() == Params{{"procedure", "scan"}, {"length", length}});
  for (const char* procedure : {"segmented_sort", "merge"}) {
    CHECK(ten(procedure).parameters() ==
          Params{{"procedure", procedure}, {"length", length}, {"segment", four}});
  }
  for (const char* procedure : {"index_to_pointers", "pointers_to_index"}) {
    CHECK(ten(procedure).parameters() ==
          Params{{"procedure", procedure}, {"length", length}, {"bins", four}});
  }
}

TEST_CASE("primitives: the checker finds a wrong element in every array", "[primitives]") {
  const auto rejects = [](const std::string& procedure, auto corrupt, const std::string& detail) {
    const PrimitivesProblem problem = ten(procedure);
    const PrimitivesResult reference = problem.reference();
    PrimitivesResult answer = reference;
    CHECK(problem.check(answer, reference).ok);
    corrupt(answer);
    const CheckOutcome outcome = problem.check(answer, reference);
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.error > outcome.bound);
    CHECK(outcome.detail == detail);
  };
  using Result = PrimitivesResult;
  rejects(
      "scan", [](Result& r) { r.sums[9] = 9; }, "sums[9] is 9, expected 8");
  rejects(
      "scan", [](Result& r) { r.sums.clear(); }, "sums has 0 elements, expected 10");
  rejects(
      "merge", [](Result& r) { r.keys[0] = 1; }, "keys[0] is 1, expected 0");
  // Sorted, but not stably.
  rejects(
      "segmented_sort", [](Result& r) { std::swap(r.payload[1], r.payload[2]); },
      "payload[1] is 3, expected 2");
  rejects(
      "merge", [](Result& r) { std::swap(r.payload[0], r.payload[1]); },
      "payload[0] is 4, expected 0");
  rejects(
      "index_to_pointers", [](Result& r) { r.pointers[4] = 9; }, "pointers[4] is 9, expected 10");
  rejects(
      "pointers_to_index", [](Result& r) { r.index.push_back(3); },
      "index has 11 elements, expected 10");
  rejects(
      "pointers_to_index", [](Result& r) { r.index[2] = 1; }, "index[2] is 1, expected 0");
}

TEST_CASE("primitives: model bytes are one read and one write", "[primitives]") {
  CHECK(ten("scan").model().bytes == 10 * 12);
  CHECK(ten("segmented_sort").model().bytes == 10 * 16);
  CHECK(ten("merge").model().bytes == 10 * 16);
  CHECK(ten("index_to_pointers").model().bytes == 10 * 4 + 5 * 4);
  CHECK(ten("pointers_to_index").model().bytes == 10 * 4 + 5 * 4);
}

TEST_CASE("primitives: unfit instances are refused with the reason", "[primitives]") {
  const ArrayInput input = load_array("random");
  CHECK_THROWS_AS(PrimitivesProblem(input, instance("merge", 10, std::int64_t{1} << 31, 1)),
                  InputError);
  CHECK_THROWS_AS(PrimitivesProblem(input, instance("scan", std::int64_t{1} << 31, 1, 1)),
                  InputError);
  CHECK_THROWS_AS(
      PrimitivesProblem(input, instance("index_to_pointers", 10, 1, std::int64_t{1} << 31)),
      InputError);
  CHECK_THROWS_AS(PrimitivesProblem(input, instance("sort", 10, 1, 1)), InputError);
  for (const auto& algorithm : primitives_algorithms()) {
    if (algorithm.backend != Backend::cuda &&
        algorithm.name.find("segmented_sort") != std::string::npos) {
      const auto refusal = [&](std::int64_t segment) {
        return algorithm.refusal({input, instance("segmented_sort", 10, segment, 1)}, {});
      };
      CHECK(refusal(16384).empty());
      CHECK(refusal(16385).find("16384") != std::string::npos);
    }
    if (algorithm.name == "omp_index_to_pointers") {
      const auto refusal = [&](const char* scan, std::int64_t threads) {
        return algorithm.refusal({input, instance("index_to_pointers", 10, 1, 1 << 24)},
                                 {{"threads", threads}, {"vertical_scan", scan}});
      };
      CHECK(refusal("columns", 64).empty());
      CHECK(refusal("columns", 65).find("4096 MiB") != std::string::npos);
      CHECK(refusal("transpose", 32).empty());
      CHECK(refusal("transpose", 33).find("4096 MiB") != std::string::npos);
    }
  }
}

TEST_CASE("primitives: a source names its array in full", "[primitives]") {
  CHECK(load_array("random").source == "random:seed=1,distinct=0");
  CHECK(load_array("random:distinct=4").source == "random:seed=1,distinct=4");
  CHECK(load_array("random").sha256 == load_array("random:seed=1").sha256);
  CHECK(load_array("random").sha256 != load_array("random:seed=2").sha256);
  for (const char* bad : {"", "file.mtx", "random:sed=1", "random:seed=x", "randoms",
                          "random:distinct=-1", "random:seed=1,seed=2"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(load_array(bad), InputError);
  }
}

TEST_CASE("primitives: elements fill their range, the longer array extends the shorter",
          "[primitives]") {
  const ArrayInput input = load_array("random:seed=9");
  const Array many = input.elements(50000, 10);
  const Array few = input.elements(4097, 10);
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  for (index_t value = 0; value < 10; ++value) {
    const auto count = std::count(many.begin(), many.end(), value);
    CHECK(std::abs(count - 5000) < 400);  // six standard deviations
  }
  CHECK(load_array("random:seed=10").elements(4097, 10) != few);
}
