// Levenshtein distance, for hints at misspelt words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserepro {

/// What of a misspelt word is compared with names, none of which is longer.
inline std::string_view compared_part(std::string_view word) {
  return word.substr(0, 64);
}

/// Least number of characters to insert, remove or replace that makes one word of the other, by its
/// recurrence over one row.
inline std::size_t edit_distance(std::string_view word, std::string_view name) {
  std::vector<std::size_t> row(name.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= word.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= name.size(); ++j) {
      const std::size_t replaced = diagonal + (word[i - 1] == name[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace sparserepro
