#include "generate/generate.hpp"

#include <omp.h>

#include <algorithm>
#include <new>

#include "formats/error.hpp"
#include "generate/build.hpp"
#include "generate/memory_guard.hpp"

namespace sparserepro {
namespace {

using generation::Family;

const std::vector<Family>& families() {
  static const std::vector<Family> table = [] {
    std::vector<Family> all;
    for (const auto& list :
         {generation::uniform_families(), generation::banded_families(), generation::fem_families(),
          generation::rmat_families(), generation::grid_families(), generation::circuit_families(),
          generation::powerlaw_families(), generation::closed_form_families()}) {
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  }();
  return table;
}

const Family* find_family(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  const auto found = std::find_if(families().begin(), families().end(),
                                  [&](const Family& family) { return family.info.name == name; });
  return found == families().end() ? nullptr : &*found;
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Family& family : families()) {
    names.push_back(family.info.name);
  }
  throw InputError("unknown generator '" + name + "'; did you mean '" +
                   generation::nearest_name(name, names) + "'?");
}

}  // namespace

const std::vector<GeneratorInfo>& generators() {
  static const std::vector<GeneratorInfo> infos = [] {
    std::vector<GeneratorInfo> all;
    for (const Family& family : families()) {
      all.push_back(family.info);
    }
    return all;
  }();
  return infos;
}

bool is_generator_spec(const std::string& source) {
  return find_family(source) != nullptr;
}

Matrix generate(const std::string& spec, int threads) {
  const std::size_t colon = spec.find(':');
  const Family* family = find_family(spec);
  if (family == nullptr) {
    refuse_name(spec.substr(0, colon));
  }
  const generation::SpecValues values(family->info,
                                      colon == std::string::npos ? "" : spec.substr(colon + 1));
  const int team = threads > 0 ? threads : omp_get_num_procs();
  Matrix matrix;
  matrix.name = family->info.name;
  matrix.source = values.canonical();
  matrix.origin = "generated";
  matrix.field = family->pattern ? "pattern" : "real";
  try {
    matrix.csr = family->build(values, team);
  } catch (const std::bad_alloc& error) {
    throw InputError(matrix.source + " needs more memory than this machine has" +
                     memory_words(error));
  }
  if (family->pattern) {
    generation::fill_ones(matrix.csr, team);
  }
  matrix.entries_in_file = matrix.stored();
  return matrix;
}

}  // namespace sparserepro
