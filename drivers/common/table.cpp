#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace sparserepro {

TextTable::TextTable(std::vector<std::string> header, std::size_t left) : left_(left) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

void TextTable::print(std::ostream& out) const {
  std::vector<std::size_t> width(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      width[c] = std::max(width[c], row[c].size());
    }
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::ostringstream line;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      line << (c == 0 ? "" : "  ") << (c < left_ ? std::left : std::right)
           << std::setw(static_cast<int>(width[c])) << rows_[r][c];
    }
    std::string text = line.str();
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
    if (r == 0) {
      std::size_t total = 2 * (width.size() - 1);
      for (const std::size_t w : width) {
        total += w;
      }
      out << std::string(total, '-') << '\n';
    }
  }
}

std::string significant(double value, int digits) {
  if (std::isnan(value)) {
    return "-";
  }
  const int magnitude =
      value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  std::ostringstream out;
  out << std::fixed << std::setprecision(std::max(0, digits - 1 - magnitude)) << value;
  return out.str();
}

}  // namespace sparserepro
