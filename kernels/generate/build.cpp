#include "generate/build.hpp"

#include <algorithm>
#include <numeric>

#include "generate/memory_limit.hpp"

namespace sparserepro::generation {

void require_memory(index_t rows, std::int64_t entries) {
  const std::string refusal = memory_refusal(rows, entries);
  require(refusal.empty(), refusal);
}

void allocate_entries(GeneratedCsr& a) {
  std::partial_sum(a.row_ptr.begin(), a.row_ptr.end(), a.row_ptr.begin());
  require_memory(a.rows, a.row_ptr.back());
  a.col_idx.resize(static_cast<std::size_t>(a.row_ptr.back()));
  a.values.resize(a.col_idx.size());
}

void fill_ones(GeneratedCsr& a, int threads) {
  const std::int64_t nnz = a.nnz();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t p = 0; p < nnz; ++p) {
    a.values[p] = 1.0;
  }
}

void fill_values(GeneratedCsr& a, std::uint64_t seed, int threads) {
  constexpr std::int64_t chunk = 4096;  // entries of one stream
  const std::int64_t nnz = a.nnz();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t first = 0; first < nnz; first += chunk) {
    RandomStream stream(seed, Purpose::values, static_cast<std::uint64_t>(first / chunk));
    for (std::int64_t p = first; p < std::min(first + chunk, nnz); ++p) {
      a.values[p] = nonzero_value(stream.bits64());
    }
  }
}

GeneratedCsr csr_from_edges(index_t rows, index_t cols, const Buffer<Edge>& edges, Loops loops,
                            int threads) {
  const auto count = static_cast<std::int64_t>(edges.size());
  Buffer<std::int64_t> end(static_cast<std::size_t>(rows) + 1, 0);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t e = 0; e < count; ++e) {
#pragma omp atomic
    ++end[edges[e].first + 1];
  }
  std::partial_sum(end.begin(), end.end(), end.begin());
  const Buffer<std::int64_t> begin(end.begin(), end.end() - 1);
  end.assign(begin.begin(), begin.end());
  Buffer<index_t> columns(edges.size());
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t e = 0; e < count; ++e) {
    std::int64_t slot;
#pragma omp atomic capture
    slot = end[edges[e].first]++;
    columns[slot] = edges[e].second;
  }
  // The order of the edges in a row depends on the threads; sorting makes it unique.
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
  for (index_t i = 0; i < rows; ++i) {
    const auto first = columns.begin() + begin[i], last = columns.begin() + end[i];
    std::sort(first, last);
    const auto distinct = std::unique(first, last);
    const auto kept = loops == Loops::drop ? std::remove(first, distinct, i) : distinct;
    end[i] = kept - columns.begin();
  }
  return csr_from_rows(rows, cols, threads, [&](index_t i, const auto& emit) {
    std::for_each(columns.begin() + begin[i], columns.begin() + end[i], emit);
  });
}

GeneratedCsr relabelled(const GeneratedCsr& a, const Buffer<index_t>& order, int threads) {
  GeneratedCsr out(a.rows, a.cols, 0);
  out.row_ptr[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t v = 0; v < a.rows; ++v) {
    out.row_ptr[order[v] + 1] = a.row_ptr[v + 1] - a.row_ptr[v];
  }
  allocate_entries(out);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
  for (index_t v = 0; v < a.rows; ++v) {
    const auto first = out.col_idx.begin() + out.row_ptr[order[v]];
    const auto last =
        std::transform(a.col_idx.begin() + a.row_ptr[v], a.col_idx.begin() + a.row_ptr[v + 1],
                       first, [&](index_t j) { return order[j]; });
    std::sort(first, last);
  }
  return out;
}

Buffer<index_t> random_permutation(index_t count, std::uint64_t seed) {
  Buffer<index_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), index_t{0});
  RandomStream stream(seed, Purpose::permutation, 0);
  for (index_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[stream.below(static_cast<std::uint32_t>(i) + 1)]);
  }
  return order;
}

void distinct_below(RandomStream& stream, index_t bound, index_t count, std::vector<index_t>& out) {
  // Repeated numbers are drawn again, which leaves each subset equally likely. Above one half of
  // the range the complement is drawn, so that a draw is new with probability >= 1/2.
  const bool complement = count > bound / 2;
  const auto wanted = static_cast<std::size_t>(complement ? bound - count : count);
  out.clear();
  while (out.size() < wanted) {
    for (std::size_t missing = wanted - out.size(); missing > 0; --missing) {
      out.push_back(static_cast<index_t>(stream.below(static_cast<std::uint32_t>(bound))));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  if (complement) {
    std::vector<index_t> rest;
    rest.reserve(static_cast<std::size_t>(count));
    auto left_out = out.begin();
    for (index_t j = 0; j < bound; ++j) {
      if (left_out != out.end() && *left_out == j) {
        ++left_out;
      } else {
        rest.push_back(j);
      }
    }
    out = std::move(rest);
  }
}

}  // namespace sparserepro::generation
