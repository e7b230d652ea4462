#include "io/matrix_market_chunk.hpp"

#include <algorithm>
#include <cstring>

#include "io/matrix_market_plain.hpp"

namespace sparserepro::matrix_market {
namespace {

using Field = MatrixMarketHeader::Field;

constexpr std::size_t shortest_entry = 4;  // "1 1\n"

template <Field field>
void read(Chunk& chunk, const MatrixMarketHeader& header, bool allow_nonfinite,
          WindowEntries& entries) {
  index_t* const rows = entries.rows.data() + chunk.place;
  index_t* const cols = entries.cols.data() + chunk.place;
  double* const values = entries.values.data() + (field == Field::pattern ? 0 : chunk.place);
  std::int64_t next = 0;
  std::int64_t lines = 0;
  const char* const end = chunk.text.data() + chunk.text.size();
  for (const char* at = chunk.text.data(); at < end; ++lines) {
    Entry entry;
    const char* after = read_plain_entry<field>(at, header, entry);
    if (after == nullptr) [[unlikely]] {
      after = static_cast<const char*>(std::memchr(at, '\n', end - at)) + 1;
      const std::string_view line(at, after - 1 - at);
      if (is_comment(line)) {
        at = after;
        continue;
      }
      try {
        entry = read_entry(line, header, allow_nonfinite);
      } catch (LineError& error) {
        chunk.error = std::move(error);
        break;
      }
    }
    at = after;
    rows[next] = entry.row;
    cols[next] = entry.col;
    if constexpr (field != Field::pattern) {
      values[next] = entry.value;
    }
    ++next;
  }
  chunk.entries = next;
  chunk.lines = lines;
}

}  // namespace

void WindowEntries::cut(std::string_view window, std::size_t chunk_bytes, bool with_values) {
  chunks.clear();
  for (std::size_t begin = 0; begin < window.size();) {
    const std::size_t target = std::min(begin + chunk_bytes, window.size());
    const std::size_t end = window.find('\n', target - 1) + 1;
    chunks.push_back(
        {.text = window.substr(begin, end - begin), .place = begin / shortest_entry, .error = {}});
    begin = end;
  }
  const std::size_t room = window.size() / shortest_entry + 1;
  if (rows.size() < room) {
    rows.resize(room);
    cols.resize(room);
    values.resize(with_values ? room : 0);
  }
}

void read_chunk(Chunk& chunk, const MatrixMarketHeader& header, bool allow_nonfinite,
                WindowEntries& entries) {
  switch (header.field) {
    case Field::real:
      return read<Field::real>(chunk, header, allow_nonfinite, entries);
    case Field::integer:
      return read<Field::integer>(chunk, header, allow_nonfinite, entries);
    case Field::pattern:
      return read<Field::pattern>(chunk, header, allow_nonfinite, entries);
  }
}

std::int64_t line_of_entry(const Chunk& chunk, std::int64_t entry) {
  std::int64_t line = 0;
  for (std::size_t at = 0;; ++line) {
    const std::size_t end = chunk.text.find('\n', at);
    if (!is_comment(chunk.text.substr(at, end - at)) && entry-- == 0) {
      return line;
    }
    at = end + 1;
  }
}

}  // namespace sparserepro::matrix_market
