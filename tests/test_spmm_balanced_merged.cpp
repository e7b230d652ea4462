// Tasks of path merged of cuda_csr_balanced: each entry belongs to one task, each row to one task
// or to as many parts as it says. Host code.
#include <cstdint>
#include <map>
#include <vector>

#include "formats/types.hpp"
#include "spmm/cuda_csr_balanced/merged/task.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

constexpr std::int64_t length = RowSpan::task_length;
constexpr std::int64_t overhang = BalancedPolicy::merged_overhang;
constexpr std::int64_t cost = BalancedPolicy::row_cost;

template <class Offset>
std::vector<Offset> pointers(const std::vector<std::int64_t>& lengths) {
  std::vector<Offset> out{0};
  for (const std::int64_t entries : lengths) {
    out.push_back(static_cast<Offset>(out.back() + entries));
  }
  return out;
}

/// First row that begins in task t or later.
template <class Offset>
index_t first_row(const std::vector<Offset>& row_ptr, unsigned t) {
  index_t row = 0;
  while (row_ptr[static_cast<std::size_t>(row)] + cost * row < t * length) {
    ++row;
  }
  return row;
}

/// A part of a row that is cut.
struct Part {
  unsigned task;
  std::int64_t begin, end, first_task, parts;
};

/// Walks all tasks as the kernel does.
template <class Offset>
void check_tasks(const std::vector<std::int64_t>& lengths) {
  const std::vector<Offset> row_ptr = pointers<Offset>(lengths);
  const auto rows = static_cast<index_t>(lengths.size());
  const unsigned tasks = merged_tasks(rows, row_ptr.back());
  std::vector<int> written(lengths.size());
  std::map<std::int64_t, std::vector<Part>> cut;
  std::int64_t entries = 0;
  for (unsigned t = 0; t < tasks; ++t) {
    const index_t first = first_row(row_ptr, t);
    const index_t next = t + 1 < tasks ? first_row(row_ptr, t + 1) : rows;
    const auto task = MergedTask<Offset>::of(t, first, next, row_ptr.data());
    REQUIRE(task.end - task.begin <= length + overhang);
    REQUIRE(next - first <= length / cost + 1);
    entries += task.end - task.begin;
    Offset at = task.begin;
    const auto add_part = [&](RowSpan span, std::int64_t row, Offset end) {
      cut[row].push_back({t, at, end, span.task(), span.parts()});
      at = end;
    };
    if (task.begun_before) {
      add_part(task.before, first - 1, first < next ? row_ptr[first] : task.end);
    }
    for (index_t row = first; row < next; ++row) {
      REQUIRE(at == row_ptr[row]);
      if (row + 1 == next && task.goes_on) {
        add_part(task.last, row, task.end);
      } else {
        at = row_ptr[row + 1];
        ++written[row];
      }
    }
    REQUIRE(at == task.end);
  }
  CHECK(entries == row_ptr.back());
  for (const auto& [row, parts] : cut) {
    ++written[row];
    CHECK(parts.front().begin == row_ptr[row]);
    CHECK(parts.back().end == row_ptr[row + 1]);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      CHECK(parts[p].parts == static_cast<std::int64_t>(parts.size()));
      CHECK(parts[p].task == parts[p].first_task + static_cast<std::int64_t>(p));
      CHECK((p == 0 || parts[p].begin == parts[p - 1].end));
    }
  }
  CHECK(written == std::vector<int>(lengths.size(), 1));
}

/// `count` lengths of `choices` in an order without a period.
std::vector<std::int64_t> mixed(const std::vector<std::int64_t>& choices, std::size_t count) {
  std::vector<std::int64_t> out;
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    out.push_back(choices[(state >> 33) % choices.size()]);
  }
  return out;
}

}  // namespace

TEST_CASE("tasks of path merged hold each entry once and each row whole or in all its parts") {
  for (const std::vector<std::int64_t>& choices : {std::vector<std::int64_t>{0, 1, 2, 3},
                                                   {27},
                                                   {0},
                                                   {0, 0, 0, 5, 300},
                                                   {length - cost},
                                                   {length},
                                                   {length + overhang},
                                                   {length + overhang + 1},
                                                   {overhang, overhang + 1},
                                                   {1, 2, 900, 5 * length, 0},
                                                   {1, 20 * length + 3},
                                                   {40 * length}}) {
    for (const std::size_t count : {1U, 2U, 3U, 50U, 1500U}) {
      INFO(count << " rows, the first length " << choices.front());
      check_tasks<std::int32_t>(mixed(choices, count));
    }
    check_tasks<std::int64_t>(mixed(choices, 200));
  }
}

TEST_CASE("a row is cut where it ends more than the overhang behind its first task") {
  CHECK_FALSE(RowSpan{0, length + overhang}.cut());
  CHECK(RowSpan{0, length + overhang + 1}.cut());
  CHECK_FALSE(RowSpan{length - 1, length + overhang}.cut());
  CHECK(RowSpan{length - 1, length + overhang + 1}.cut());
  CHECK(RowSpan{length - 1, 3 * length}.parts() == 3);
  CHECK(RowSpan{length - 1, 3 * length + 1}.parts() == 4);
  CHECK_FALSE(RowSpan{5, 5}.cut());
}

TEST_CASE("a matrix without entries has tasks for its rows") {
  CHECK(merged_tasks(0, 0) == 0);
  CHECK(merged_tasks(1, 0) == 1);
  CHECK(merged_tasks(length, 0) == cost);
  CHECK(merged_tasks(std::int64_t{1} << 31, std::int64_t{1} << 41) < (1U << 31) + (1U << 23));
}
