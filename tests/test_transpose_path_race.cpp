// omp_partition: executions tell which way is the fastest.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/processor.hpp"
#include "generate/generate.hpp"
#include "sparserepro/transpose.hpp"
#include "support/catch.hpp"
#include "transpose/omp_partition/path_race.hpp"

using namespace sparserepro;

namespace {

/// The arrays of a transposed matrix with fp64 values.
struct Answer {
  std::vector<std::int64_t> row_ptr;
  std::vector<index_t> col_idx;
  std::vector<double> values;

  explicit Answer(const Csr<std::int64_t, double>& a)
      : row_ptr(static_cast<std::size_t>(a.cols) + 1),
        col_idx(a.col_idx.size()),
        values(a.values.size()) {}
  CsrOutput view() { return {row_ptr.data(), col_idx.data(), values.data()}; }
  bool operator==(const Answer&) const = default;
};

}  // namespace

TEST_CASE("omp_partition: ways race, and the fastest one takes the rest of the period") {
  PathRace race;
  // Of three ways, those of one period, if each execution takes so long.
  const auto ways = [&](const std::vector<int>& times) {
    std::string numbers;
    for (int turn = 0; turn < PathRace::period; ++turn) {
      CHECK(race.begins() == (turn == PathRace::tries));
      if (race.begins()) {
        race.enter(3);
      }
      numbers += std::to_string(race.way());
      race.note(std::chrono::nanoseconds(times[std::min<std::size_t>(turn, times.size() - 1)]));
    }
    return numbers;
  };
  const auto rest = [](char way) { return std::string(PathRace::period - 8, way); };
  // The least times count, without those of the first two executions and of the last ones.
  CHECK(ways({9, 1, 20, 9, 8, 7, 9, 9, 50}) == "00120120" + rest('1'));
  CHECK(ways({9, 1, 20, 9, 8, 7, 6, 9, 50}) == "00120120" + rest('2'));
  CHECK(ways({9, 9, 20, 9, 8, 9, 9, 7, 1}) == "00120120" + rest('0'));
  CHECK(ways({99, 5, 6, 4, 7, 6, 5, 9, 9}) == "00120120" + rest('2'));
}

TEST_CASE("omp_partition: a scatter of random columns races with buckets") {
  using enum host::TransposePath;
  const Csr<std::int64_t, double> a = generate("uniform:rows=40000,cols=40000,nnz=200000").csr;
  const CsrInput in{a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), a.values.data()};
  Answer right(a), answer(a);
  host::transpose(in, right.view(), {.threads = 1, .path = serial});
  for (const int threads : {1, 2, 3}) {
    host::Transposer transposer(in, {.threads = threads});
    std::vector<host::TransposePath> paths;
    const std::int64_t bytes = transposer.workspace_bytes();
    for (int execution = 0; execution < PathRace::period + 12; ++execution) {
      std::fill(answer.values.begin(), answer.values.end(), -1);
      transposer(answer.view());
      CHECK(answer == right);
      paths.push_back(transposer.path());
    }
    CAPTURE(threads);
    if (threads <= 2) {
      using Paths = std::vector<host::TransposePath>;
      const Paths turns =
          !has_near_last_level_cache()
              ? (threads == 1 ? Paths{serial, buckets, direct} : Paths{buckets, direct})
          : threads == 1 ? Paths{serial, direct, buckets, serial}
                         : Paths{direct, buckets, direct};
      Paths trials(2, turns.back());
      trials.insert(trials.end(), turns.begin(), turns.end());
      trials.insert(trials.end(), turns.begin(), turns.end());
      const auto tried = static_cast<std::ptrdiff_t>(trials.size());
      CHECK(std::equal(trials.begin(), trials.end(), paths.begin()));
      CHECK(std::equal(trials.begin(), trials.end(), paths.begin() + PathRace::period));
      CHECK(std::count(paths.begin() + tried, paths.begin() + PathRace::period, paths[tried]) ==
            PathRace::period - tried);
      CHECK(transposer.workspace_bytes() >= bytes + 12 * a.nnz());
    } else {
      CHECK(std::count(paths.begin(), paths.end(), paths[0]) == PathRace::period + 12);
      CHECK(transposer.workspace_bytes() == bytes);
    }
  }
}

TEST_CASE("omp_partition: a forced path races with none") {
  const Csr<std::int64_t, double> a = generate("uniform:rows=40000,cols=40000,nnz=200000").csr;
  const CsrInput in{a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), a.values.data()};
  Answer answer(a);
  host::Transposer transposer(in, {.threads = 2, .path = host::TransposePath::direct});
  for (int execution = 0; execution < 5; ++execution) {
    transposer(answer.view());
    CHECK(transposer.path() == host::TransposePath::direct);
  }
}

TEST_CASE("omp_partition: rows in units race where rows are alike") {
  const Csr<std::int64_t, double> a = generate("fem:nx=12,ny=9,nz=9,dofs=3").csr;
  REQUIRE(a.nnz() >= 65'536);
  const CsrInput in{a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), a.values.data()};
  Answer right(a), answer(a);
  host::transpose(in, right.view(), {.threads = 1, .path = host::TransposePath::serial});
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    host::Transposer transposer(in, {.threads = threads});
    const std::int64_t before = transposer.workspace_bytes();
    for (int execution = 0; execution < PathRace::period + 12; ++execution) {
      std::fill(answer.values.begin(), answer.values.end(), -1);
      transposer(answer.view());
      CHECK(answer == right);
    }
    // A byte for each row, beside what the other ways take.
    CHECK((transposer.workspace_bytes() >= before + a.rows) ==
          (has_near_last_level_cache() && threads <= 2));
  }
}
