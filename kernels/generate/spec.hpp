// Reading of generator specs, and what a family of matrices brings to the table of generate.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/csr.hpp"
#include "generate/generate.hpp"

namespace sparserepro::generation {

using GeneratedCsr = Csr<std::int64_t, double>;

/// The checked values of one spec, defaults included.
class SpecValues {
 public:
  /// Parses the text behind "name:"; throws InputError in one line that starts with the name.
  SpecValues(const GeneratorInfo& info, const std::string& assignments);

  std::int64_t integer(const std::string& key) const;
  double real(const std::string& key) const { return values_.at(key); }
  bool flag(const std::string& key) const { return integer(key) != 0; }
  index_t index(const std::string& key) const { return static_cast<index_t>(integer(key)); }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(integer("seed")); }

  /// "name:key=value,..." with every key in the order of the table; parses to the same values.
  std::string canonical() const;

 private:
  const GeneratorInfo& info_;
  std::map<std::string, double> values_;  // integers are exact: every range ends below 2^53
};

struct Family {
  GeneratorInfo info;
  bool pattern;  ///< a graph: all values are ones
  GeneratedCsr (*build)(const SpecValues& values, int threads);
};

/// The key `seed` of every random family.
GeneratorKey seed_key();

/// Throws InputError(message) unless `condition` holds.
void require(bool condition, const std::string& message);

/// The entry of `names` with the smallest edit distance to `name`.
std::string nearest_name(const std::string& name, const std::vector<std::string>& names);

std::vector<Family> uniform_families();      // uniform, empty_rows, short_rows
std::vector<Family> banded_families();       // banded
std::vector<Family> fem_families();          // fem
std::vector<Family> rmat_families();         // rmat
std::vector<Family> grid_families();         // road, mesh
std::vector<Family> circuit_families();      // circuit
std::vector<Family> powerlaw_families();     // powerlaw
std::vector<Family> closed_form_families();  // complete, wheel, friendship, star, bipartite

}  // namespace sparserepro::generation
