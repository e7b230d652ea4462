// omp_partition: what decides how it works, and how its slices are read: lengths of rows, columns
// that slices share and contend for, fresh lines, the width of the buckets and of their keys.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "generate/generate.hpp"
#include "support/catch.hpp"
#include "transpose/omp_partition/plan.hpp"
#include "transpose/omp_partition/sharing.hpp"
#include "transpose/slices.hpp"

using namespace sparserepro;

TEST_CASE("omp_partition: entries come with their rows, by rows or by counts, from any slice") {
  // Rows of 0 to 7 entries, empty ones first and last and in runs; more entries than a block has.
  std::vector<std::int32_t> row_ptr{0, 0, 0};
  for (int i = 0; row_ptr.back() < 1400; ++i) {
    row_ptr.push_back(row_ptr.back() + (i % 50 < 40 ? i % 8 : 0));
  }
  row_ptr.insert(row_ptr.end(), 3, row_ptr.back());
  const std::vector<index_t> col_idx(static_cast<std::size_t>(row_ptr.back()));
  const CsrView<std::int32_t, Pattern> a{static_cast<index_t>(row_ptr.size() - 1),
                                         1,
                                         row_ptr.back(),
                                         row_ptr.data(),
                                         col_idx.data(),
                                         nullptr};
  const auto rows_of = [&](std::int32_t begin, std::int32_t end, bool by_counts) {
    std::vector<std::pair<std::int32_t, index_t>> rows;
    const auto visit = [&](std::int32_t p, index_t i) { rows.emplace_back(p, i); };
    by_counts ? for_each_entry<true>(a, begin, end, visit)
              : for_each_entry<false>(a, begin, end, visit);
    return rows;
  };
  for (const std::int32_t begin : {0, 1, 5, 27, 511, 512, 513, 1023}) {
    for (const std::int32_t length : {0, 1, 2, 100, 511, 512, 513, 1025, a.nnz}) {
      const std::int32_t end = std::min(begin + length, a.nnz);
      std::vector<std::pair<std::int32_t, index_t>> expected;
      for (std::int32_t p = begin; p < end; ++p) {
        expected.emplace_back(p, static_cast<index_t>(segment_of(a.row_ptr, a.rows, p)));
      }
      CAPTURE(begin, end);
      CHECK(rows_of(begin, end, false) == expected);
      CHECK(rows_of(begin, end, true) == expected);
    }
  }
}

TEST_CASE("omp_partition: entries are visited by counts where lengths of rows vary") {
  const auto vary = [](const std::vector<std::int32_t>& lengths) {
    std::vector<std::int32_t> row_ptr{0};
    for (const std::int32_t length : lengths) {
      row_ptr.push_back(row_ptr.back() + length);
    }
    const CsrView<std::int32_t, Pattern> a{
        static_cast<index_t>(lengths.size()), 1, row_ptr.back(), row_ptr.data(), nullptr, nullptr};
    return row_lengths_vary(a, 8);
  };
  const auto alternating = [](std::size_t rows, std::int32_t even, std::int32_t odd) {
    std::vector<std::int32_t> lengths(rows, even);
    for (std::size_t i = 1; i < rows; i += 2) {
      lengths[i] = odd;
    }
    return lengths;
  };
  CHECK(vary(alternating(1000, 2, 4)));
  CHECK(vary(alternating(1000, 0, 15)));
  CHECK_FALSE(vary(alternating(1000, 8, 9)));
  CHECK_FALSE(vary(alternating(1000, 3, 3)));
  CHECK_FALSE(vary({}));
  CHECK_FALSE(vary({1, 2, 1}));  // too few to tell

  CHECK(row_lengths_vary(generate("road:width=70,height=70").csr.view(), 4));
  CHECK_FALSE(row_lengths_vary(generate("mesh:width=90,height=80").csr.view(), 8));
  CHECK_FALSE(row_lengths_vary(generate("uniform:rows=9000,cols=900,nnz=180000").csr.view(), 8));
}

TEST_CASE("omp_partition: whether both halves of the entries have the same columns") {
  CHECK(halves_share_columns(generate("uniform:rows=900,cols=2100,nnz=7000").csr.view()));
  CHECK(halves_share_columns(generate("rmat:scale=13").csr.view()));
  CHECK_FALSE(halves_share_columns(generate("banded:rows=5000,diagonals=27").csr.view()));
  CHECK_FALSE(halves_share_columns(generate("mesh:width=90,height=80").csr.view()));
  CHECK_FALSE(halves_share_columns(generate("uniform:rows=9,cols=9,nnz=63").csr.view()));
}

TEST_CASE("omp_partition: one of two threads without a near cache scatters few entries alone") {
  const auto sharing = [](const char* spec, int threads) {
    return sharing_threads(generate(spec).csr.view(), threads);
  };
  const int of_few = has_near_last_level_cache() ? 2 : 1;
  CHECK(sharing("banded:rows=2000,diagonals=27", 2) == of_few);
  CHECK(sharing("uniform:rows=15000,cols=15000,nnz=90000", 2) == of_few);
  CHECK(sharing("uniform:rows=15000,cols=15000,nnz=90000", 3) == 3);
  CHECK(sharing("uniform:rows=60000,cols=60000,nnz=300000", 2) == 2);
  CHECK(sharing("uniform:rows=20000,cols=300,nnz=70000", 2) == 2);
  CHECK(sharing("banded:rows=3500,diagonals=27", 2) == 2);
}

TEST_CASE("omp_partition: the path for an answer that the caches do not hold") {
  using enum host::TransposePath;
  const auto path_of = [](const char* spec, int threads) {
    return choose_path(generate(spec).csr.view(), threads, false);
  };
  CHECK(path_of("uniform:rows=70000,cols=70000,nnz=300000", 2) == buckets);
  CHECK(path_of("uniform:rows=30000,cols=30000,nnz=140000", 2) == serial);
  CHECK(path_of("banded:rows=12000,diagonals=27", 2) == direct);
  CHECK(path_of("mesh:width=120,height=100", 2) == direct);
  // Columns that come again within the lines of an L2 cache of 2 MiB, and not within 512 KiB.
  const Matrix between = generate("uniform:rows=30000,cols=10000,nnz=1100000");
  CHECK(choose_path(between.csr.view(), 2) == direct);
  CHECK(choose_path(between.csr.view(), 2, false) == buckets);
}

TEST_CASE("omp_partition: the width of the buckets") {
  CHECK(bucket_shift(0, 0) == 0);
  CHECK(bucket_shift(1, 1000000) == 0);
  CHECK(bucket_shift(1 << 20, 16 << 20) == 9);  // 2048 buckets
  CHECK(bucket_shift(1 << 20, 1 << 20) == 11);  // 512 buckets of 2048 entries
  CHECK(bucket_shift((1 << 20) + 1, 1 << 20) == 12);
  CHECK(bucket_shift(2147483647, 10000) == 20);  // the most buckets
  // The narrowest buckets whose number is within the limit.
  for (const index_t cols :
       {2, 3, 1000, 65536, 65537, 4194304, std::numeric_limits<index_t>::max()}) {
    const int shift = bucket_shift(cols, HostPartitionPolicy::bucket_entries * 100);
    const std::int64_t wanted = std::clamp(cols / 65536, 100, 2048);
    CAPTURE(cols, shift);
    CHECK(((cols - 1) >> shift) < wanted);
    CHECK((shift == 0 || ((cols - 1) >> (shift - 1)) >= wanted));
  }
}

TEST_CASE("omp_partition: keys hold the rows of a slice", "[transpose]") {
  for (const auto& [rows, bits] :
       {std::pair{1, 0}, {2, 1}, {4, 2}, {5, 3}, {1024, 10}, {1025, 11}}) {
    Csr<std::int32_t, double> a(rows, 1, rows);
    std::iota(a.row_ptr.begin(), a.row_ptr.end(), 0);
    std::fill(a.col_idx.begin(), a.col_idx.end(), 0);
    CHECK(row_bits(a.view(), 1) == bits);
  }
}

TEST_CASE("omp_partition: threads that contend for lines of the answer take buckets") {
  using enum host::TransposePath;
  const bool near = has_near_last_level_cache();
  const Matrix random = generate("uniform:rows=40000,cols=4000,nnz=200000");  // 50 entries a column
  const Matrix web = generate("rmat:scale=14");                               // 26
  CHECK(fresh_lines(web.csr.view(), 16, HostPartitionPolicy::line_window) <
        HostPartitionPolicy::fresh_lines);
  const Matrix band = generate("banded:rows=12000,diagonals=7,half_bandwidth=3000");
  for (const int threads : {2, 4, 7, 8, 16}) {
    CAPTURE(threads);
    CHECK(threads_contend(random.csr.view(), threads, threads * threads) == (!near && threads > 7));
    CHECK_FALSE(threads_contend(band.csr.view(), threads, threads * threads));
    CHECK(choose_path(random.csr.view(), threads) == (near || threads < 8 ? direct : buckets));
    CHECK(choose_path(web.csr.view(), threads) == (near || threads < 8 ? direct : buckets));
    CHECK(choose_path(band.csr.view(), threads) == direct);
  }
}

TEST_CASE("omp_partition: a long row in the middle does not pass for the matrix") {
  // The sample lies in a row of 21,517 entries at random, the rest is near the diagonal.
  const Matrix circuit = generate(
      "circuit:rows=149425,per_row=9,spread=26,dense_rows=8,dense_cols=2,dense_length=21517,"
      "seed=542191");
  constexpr std::int64_t window = HostPartitionPolicy::line_window;
  CHECK(fresh_share(circuit.csr.view(), 1.0, false, circuit.stored() / 2 - window, window) > 0.9);
  CHECK(fresh_lines(circuit.csr.view(), 2, window) < 0.2);
  CHECK(choose_path(circuit.csr.view(), 2) == host::TransposePath::direct);
}
