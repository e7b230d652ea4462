// Text tables for the terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sparserepro {

/// Table whose columns are as wide as their widest text. The first `left` columns are aligned left,
/// the others right.
class TextTable {
 public:
  TextTable(std::vector<std::string> header, std::size_t left);
  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_;
};

/// `value` with `digits` significant digits and no exponent; "-" for NaN.
std::string significant(double value, int digits = 4);

}  // namespace sparserepro
