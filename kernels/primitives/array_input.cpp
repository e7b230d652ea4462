#include "primitives/array_input.hpp"

#include <algorithm>

#include "formats/error.hpp"
#include "generate/random.hpp"
#include "generate/spec.hpp"
#include "io/sha256.hpp"

namespace sparserepro {
namespace {

// Elements that one random stream yields. A different length would change every array.
constexpr std::int64_t stream_length = 4096;

const GeneratorInfo& random_info() {
  static const GeneratorInfo info = {
      "random",
      "independent uniform integers",
      {generation::seed_key(),
       {"distinct", "0", "number of different values; 0: as many as the procedure has"}}};
  return info;
}

}  // namespace

Buffer<index_t> ArrayInput::elements(std::int64_t length, index_t limit) const {
  const auto bound = static_cast<std::uint32_t>(
      distinct == 0 ? std::int64_t{limit} : std::min<std::int64_t>(limit, distinct));
  Buffer<index_t> out(static_cast<std::size_t>(length));
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < length; begin += stream_length) {
    RandomStream stream(seed, Purpose::array, static_cast<std::uint64_t>(begin / stream_length));
    const std::int64_t end = std::min(length, begin + stream_length);
    for (std::int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<index_t>(stream.below(bound));
    }
  }
  return out;
}

ArrayInput load_array(const std::string& source) {
  const std::size_t colon = source.find(':');
  if (source.substr(0, colon) != random_info().name) {
    throw InputError("'" + source + "' is not an array: give random, random:seed=7 or " +
                     "random:seed=7,distinct=10");
  }
  const generation::SpecValues values(random_info(),
                                      colon == std::string::npos ? "" : source.substr(colon + 1));
  ArrayInput input;
  input.source = values.canonical();
  input.sha256 = sha256_hex(input.source);
  input.seed = values.seed();
  input.distinct = values.integer("distinct");
  return input;
}

}  // namespace sparserepro
