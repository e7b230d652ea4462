// Parallel reader of Matrix Market files. The text is divided at newlines into chunks; three passes
// go over the chunks in parallel:
//
//   count   lines of each chunk; their prefix sum gives the line number and the place in the result
//   read    entries of each chunk, to their place in the result
//   mirror  off-diagonal entries of each chunk, in a symmetric file
//
// Within a pass the chunks are independent, so that the result depends neither on the number of
// threads nor on their timing.
#include "io/matrix_market.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "formats/available_cores.hpp"
#include "formats/error.hpp"
#include "formats/huge_pages.hpp"
#include "formats/region_error.hpp"
#include "io/matrix_market_line.hpp"
#include "io/matrix_market_plain.hpp"
#include "io/text_file.hpp"

namespace sparserepro {
namespace {

using matrix_market::Entry;
using matrix_market::LineError;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

struct Chunk {
  std::string_view text;  // whole lines, each of which ends in '\n'

  std::int64_t first_line{};   // number of its first line
  std::int64_t first_entry{};  // place of its first entry in the result
  std::int64_t lines{};
  std::int64_t entries{};       // entries read
  std::int64_t off_diagonal{};  // entries off the diagonal
  std::int64_t first_mirrored{};
  std::int64_t bad_line{};  // number of the line that `error` is about
  std::optional<LineError> error;
};

/// Divides `text` into chunks of at least `chunk_bytes`, each of which ends with a newline. A last
/// line without newline is copied to `tail`, gets its newline there and becomes a chunk.
std::vector<Chunk> cut(std::string_view text, std::size_t chunk_bytes, std::string& tail) {
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 == 0
  std::vector<Chunk> chunks;
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t target = chunk_bytes < whole - begin ? begin + chunk_bytes : whole;
    const std::size_t end = text.find('\n', target - 1) + 1;
    chunks.push_back({.text = text.substr(begin, end - begin), .error = {}});
    begin = end;
  }
  if (whole < text.size()) {
    tail.assign(text.substr(whole));
    tail += '\n';
    chunks.push_back({.text = tail, .error = {}});
  }
  return chunks;
}

/// Number of newlines. Byte counters of 64 lanes, which compilers vectorise, hold the sums of 255
/// additions.
std::int64_t count_lines(std::string_view text) {
  constexpr std::size_t lanes = 64;
  constexpr std::size_t block = lanes * 255;
  std::int64_t lines = 0;
  std::size_t at = 0;
  for (; at + lanes <= text.size();) {
    unsigned char sums[lanes] = {};
    const std::size_t end = std::min(text.size() / lanes * lanes, at + block);
    for (; at < end; at += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums[lane] += text[at + lane] == '\n';
      }
    }
    for (const unsigned char sum : sums) {
      lines += sum;
    }
  }
  return lines + std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n');
}

std::int64_t count_entry_lines(std::string_view text) {
  std::int64_t entries = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    entries += !matrix_market::is_comment(text.substr(at, end - at));
    at = end + 1;
  }
  return entries;
}

/// Reads the entries of a chunk into `coo` and stops at the first error.
template <Field field>
void read_chunk(Chunk& chunk, const MatrixMarketHeader& header, bool allow_nonfinite, Coo& coo) {
  index_t* const rows = coo.row_idx.data();
  index_t* const cols = coo.col_idx.data();
  double* const values = coo.values.data();
  std::int64_t next = chunk.first_entry;
  std::int64_t off_diagonal = 0;
  std::int64_t line_number = chunk.first_line;
  const char* const end = chunk.text.data() + chunk.text.size();
  for (const char* at = chunk.text.data(); at < end; ++line_number) {
    Entry entry;
    const char* after = matrix_market::read_plain_entry<field>(at, header, entry);
    if (after == nullptr) [[unlikely]] {
      after = static_cast<const char*>(std::memchr(at, '\n', end - at)) + 1;
      const std::string_view line(at, after - 1 - at);
      if (matrix_market::is_comment(line)) {
        at = after;
        continue;
      }
      try {
        entry = matrix_market::read_entry(line, header, allow_nonfinite);
      } catch (LineError& error) {
        chunk.error = std::move(error);
        chunk.bad_line = line_number;
        break;
      }
    }
    at = after;
    if (next == header.entries) {
      chunk.error = LineError{"one more entry than the " + std::to_string(header.entries) +
                              " that line " + std::to_string(header.size_line) + " promises"};
      chunk.bad_line = line_number;
      break;
    }
    rows[next] = entry.row;
    cols[next] = entry.col;
    if constexpr (field != Field::pattern) {
      values[next] = entry.value;
    }
    ++next;
    off_diagonal += entry.row != entry.col;
  }
  chunk.entries = next - chunk.first_entry;
  chunk.off_diagonal = off_diagonal;
}

void read_chunk(Chunk& chunk, const MatrixMarketHeader& header, bool allow_nonfinite, Coo& coo) {
  switch (header.field) {
    case Field::real:
      return read_chunk<Field::real>(chunk, header, allow_nonfinite, coo);
    case Field::integer:
      return read_chunk<Field::integer>(chunk, header, allow_nonfinite, coo);
    case Field::pattern:
      return read_chunk<Field::pattern>(chunk, header, allow_nonfinite, coo);
  }
}

/// Writes entry (j, i) for each off-diagonal entry (i, j) of a chunk, with changed sign in a
/// skew-symmetric file.
void mirror_chunk(const Chunk& chunk, Symmetry symmetry, Coo& coo) {
  std::int64_t next = chunk.first_mirrored;
  const bool valued = !coo.values.empty();
  for (std::int64_t p = chunk.first_entry; p < chunk.first_entry + chunk.entries; ++p) {
    if (coo.row_idx[p] != coo.col_idx[p]) {
      coo.row_idx[next] = coo.col_idx[p];
      coo.col_idx[next] = coo.row_idx[p];
      if (valued) {
        coo.values[next] = symmetry == Symmetry::skew_symmetric ? -coo.values[p] : coo.values[p];
      }
      ++next;
    }
  }
}

}  // namespace

MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options) {
  MatrixMarketFile file{matrix_market::read_header(text, name), {}};
  const MatrixMarketHeader& header = file.header;
  Coo& coo = file.coo;
  coo.rows = header.rows;
  coo.cols = header.cols;

  std::string tail;
  std::vector<Chunk> chunks =
      cut(text.substr(header.bytes), std::max<std::size_t>(options.chunk_bytes, 1), tail);
  const auto chunk_count = static_cast<std::int64_t>(chunks.size());
  const int threads = static_cast<int>(
      std::clamp<std::int64_t>(options.threads > 0 ? options.threads : available_cores(), 1,
                               std::max<std::int64_t>(chunk_count, 1)));

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t c = 0; c < chunk_count; ++c) {
    chunks[c].entries = chunks[c].lines = count_lines(chunks[c].text);
  }
  std::int64_t lines = 0;
  for (Chunk& chunk : chunks) {
    chunk.first_line = header.size_line + 1 + lines;
    lines += chunk.lines;
  }
  // If the number of lines equals the number of entries, no line is a comment, or entries are
  // missing and the file is refused below. Otherwise comments are counted and subtracted.
  if (lines != header.entries) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::int64_t c = 0; c < chunk_count; ++c) {
      chunks[c].entries = count_entry_lines(chunks[c].text);
    }
  }
  std::int64_t entry_lines = 0;
  for (Chunk& chunk : chunks) {
    // Lines after the last promised entry are read only to find errors; nothing is written.
    chunk.first_entry = std::min(entry_lines, header.entries);
    entry_lines += chunk.entries;
  }

  const auto stored = static_cast<std::size_t>(std::min(entry_lines, header.entries));
  const std::size_t room = header.symmetry == Symmetry::general ? stored : 2 * stored;
  const auto resize = [&](std::size_t size) {
    coo.row_idx.resize(size);
    coo.col_idx.resize(size);
    coo.values.resize(header.field == Field::pattern ? 0 : size);
  };
  coo.row_idx.reserve(room);
  coo.col_idx.reserve(room);
  coo.values.reserve(header.field == Field::pattern ? 0 : room);
  advise_huge_pages(coo.row_idx);
  advise_huge_pages(coo.col_idx);
  advise_huge_pages(coo.values);
  resize(stored);

  std::atomic<std::int64_t> first_bad{chunk_count};
  RegionError error;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t c = 0; c < chunk_count; ++c) {
    if (c > first_bad.load(std::memory_order_relaxed)) {
      continue;  // an earlier line is wrong already
    }
    error.guard([&] { read_chunk(chunks[c], header, options.allow_nonfinite, coo); });
    if (chunks[c].error) {
      std::int64_t bad = first_bad.load(std::memory_order_relaxed);
      while (c < bad && !first_bad.compare_exchange_weak(bad, c)) {
      }
    }
  }
  error.rethrow();
  if (first_bad < chunk_count) {
    const Chunk& bad = chunks[static_cast<std::size_t>(first_bad)];
    throw InputError(name + ":" + std::to_string(bad.bad_line) + ": " + bad.error->what);
  }
  std::int64_t entries = 0;
  std::int64_t mirrored = 0;
  for (Chunk& chunk : chunks) {
    chunk.first_mirrored = header.entries + mirrored;
    entries += chunk.entries;
    mirrored += chunk.off_diagonal;
  }
  if (entries < header.entries) {
    throw InputError(name + ":" + std::to_string(header.size_line + lines) +
                     ": the file ends after " + std::to_string(entries) + " of the " +
                     std::to_string(header.entries) + " entries that line " +
                     std::to_string(header.size_line) + " promises");
  }
  if (header.symmetry != Symmetry::general) {
    resize(static_cast<std::size_t>(entries + mirrored));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::int64_t c = 0; c < chunk_count; ++c) {
      mirror_chunk(chunks[c], header.symmetry, coo);
    }
  }
  return file;
}

MatrixMarketFile read_matrix_market(const std::string& path, const MatrixMarketOptions& options) {
  const TextFile file(path);
  return parse_matrix_market(file.text(), path, options);
}

}  // namespace sparserepro
