// Parser of generator specs, and the entries of the table of families in generate.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/csr.hpp"
#include "generate/generate.hpp"

namespace sparserepro::generation {

using GeneratedCsr = Csr<std::int64_t, double>;

/// The values of one spec, checked against their ranges, with defaults for the keys it leaves out.
/// A lookup of a key that the family lacks throws std::out_of_range.
class SpecValues {
 public:
  /// Parses the text after "name:". Throws InputError, whose message begins with the name, for an
  /// unknown or repeated key, a value out of its range, or text that is no assignment.
  SpecValues(const GeneratorInfo& info, const std::string& assignments);

  std::int64_t integer(const std::string& key) const;
  double real(const std::string& key) const { return values_.at(key); }
  bool flag(const std::string& key) const { return integer(key) != 0; }
  index_t index(const std::string& key) const { return static_cast<index_t>(integer(key)); }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(integer("seed")); }

  /// "name:key=value,..." with all keys in the order of the table. It parses to the same values.
  std::string canonical() const;

 private:
  const GeneratorInfo& info_;
  std::map<std::string, double> values_;  // integers are exact, since their ranges end below 2^53
};

/// A family of matrices and the function that builds one.
struct Family {
  GeneratorInfo info;
  bool pattern;  ///< a graph; all values are 1
  GeneratedCsr (*build)(const SpecValues& values, int threads);
};

/// The key `seed` of every random family.
GeneratorKey seed_key();

/// Throws InputError(message) unless `condition` holds.
void require(bool condition, const std::string& message);

/// The entry of `names` with the smallest edit distance to `name`.
std::string nearest_name(const std::string& name, const std::vector<std::string>& names);

/// The families of each source file of this folder.
std::vector<Family> uniform_families();      // uniform, empty_rows, short_rows
std::vector<Family> banded_families();       // banded
std::vector<Family> fem_families();          // fem
std::vector<Family> rmat_families();         // rmat
std::vector<Family> grid_families();         // road, mesh
std::vector<Family> circuit_families();      // circuit
std::vector<Family> powerlaw_families();     // powerlaw
std::vector<Family> closed_form_families();  // complete, wheel, friendship, star, bipartite

}  // namespace sparserepro::generation
