// The reader of Matrix Market against a reader of one line after the other.
#include "io/matrix_market.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/error.hpp"
#include "fuzz/targets.hpp"
#include "generate/memory_limit.hpp"
#include "io/matrix_market_line.hpp"
#include "support/slow_csr.hpp"

namespace sparserepro::fuzz {
namespace {

using matrix_market::Entry;

struct Answer {
  MatrixMarketHeader header;
  Csr<std::int64_t, double> csr;
  std::string error;  // "" if the text was read
};

Answer by_chunks(std::string_view text, const MatrixMarketOptions& options) {
  Answer answer;
  try {
    MatrixMarketFile file = parse_matrix_market(text, "m", options);
    answer = {file.header, std::move(file.csr), ""};
  } catch (const InputError& error) {
    answer.error = error.what();
  }
  return answer;
}

/// The same with read_entry alone. Errors in the number of entries, and of pointers beyond 1 GiB
/// that no text of this length needs, end after the line's number, those of the size after the
/// name.
Answer by_lines(std::string_view text, bool allow_nonfinite) {
  Answer answer;
  MatrixMarketHeader& header = answer.header;
  Coo coo;
  std::int64_t number = 0, count = 0;
  const auto refuse = [&](const std::string& what) {
    answer.error = "m:" + std::to_string(number) + ": " + what;
    return answer;
  };
  try {
    header = matrix_market::read_header(text, "m");
  } catch (const InputError& error) {
    answer.error = error.what();
    return answer;
  }
  number = header.size_line;
  coo.rows = header.rows;
  coo.cols = header.cols;
  const auto append = [&](index_t row, index_t col, double value) {
    coo.row_idx.push_back(row);
    coo.col_idx.push_back(col);
    if (header.field != MatrixMarketHeader::Field::pattern) {
      coo.values.push_back(value);
    }
  };
  for (std::size_t at = header.bytes; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (matrix_market::is_comment(line)) {
      continue;
    }
    try {
      const Entry entry = matrix_market::read_entry(line, header, allow_nonfinite);
      if (count++ == header.entries) {
        return refuse("");
      }
      append(entry.row, entry.col, entry.value);
    } catch (const matrix_market::LineError& error) {
      return refuse(error.what);
    }
  }
  if (count < header.entries) {
    return refuse("");
  }
  if (const double pointers = 8.0 * std::max(header.rows, header.cols);
      pointers > 0x1p30 && pointers > 64.0 * static_cast<double>(text.size())) {
    number = header.size_line;
    return refuse("");
  }
  if (header.symmetry != MatrixMarketHeader::Symmetry::general) {
    const double sign =
        header.symmetry == MatrixMarketHeader::Symmetry::skew_symmetric ? -1.0 : 1.0;
    for (std::int64_t p = 0; p < count; ++p) {
      if (coo.row_idx[p] != coo.col_idx[p]) {
        append(coo.col_idx[p], coo.row_idx[p], coo.values.empty() ? 1.0 : sign * coo.values[p]);
      }
    }
  }
  if (!memory_refusal(header.rows, coo.nnz()).empty()) {
    answer.error = "m:";
    return answer;
  }
  answer.csr = testing::slow_csr(coo);
  return answer;
}

bool same_values(const Csr<std::int64_t, double>& a, const Csr<std::int64_t, double>& b) {
  return a.values.size() == b.values.size() &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), [](double x, double y) {
           return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y);
         });
}

void require_same(const Answer& a, const Answer& b) {
  require(a.error.empty() == b.error.empty() && a.error.starts_with(b.error),
          "the same text is read or refused alike");
  if (a.error.empty()) {
    require(a.csr.row_ptr == b.csr.row_ptr && a.csr.col_idx == b.csr.col_idx,
            "the same entries are read");
    require(same_values(a.csr, b.csr), "the same values are read");
  }
}

}  // namespace

void matrix_market(std::string_view bytes) {
  const bool allow_nonfinite = bytes.size() % 2 == 1;
  const Answer whole = by_chunks(bytes, {.threads = 1, .allow_nonfinite = allow_nonfinite});
  require_same(whole, by_chunks(bytes, {.threads = 1,
                                        .window_bytes = 64,
                                        .chunk_bytes = 1,
                                        .allow_nonfinite = allow_nonfinite}));
  require_same(whole, by_lines(bytes, allow_nonfinite));
}

}  // namespace sparserepro::fuzz
