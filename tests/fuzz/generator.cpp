// Generator specs, in a process that believes to have little memory.
#include "formats/error.hpp"
#include "fuzz/csr_check.hpp"
#include "generate/generate.hpp"
#include "generate/memory_limit.hpp"

namespace sparserepro {

/// In place of the machine's own (generate/memory_limit.cpp): with it a spec of a large matrix is
/// refused by the very checks that refuse it to a user, and no input takes long.
MemoryLimit memory_limit() {
  return {32768.0, "the fuzzing target"};
}

}  // namespace sparserepro

namespace sparserepro::fuzz {

void generator(std::string_view bytes) {
  const std::string spec(bytes);
  try {
    const Matrix matrix = generate(spec, 1);
    require(is_generator_spec(spec), "what is generated is a spec");
    require_valid(matrix.csr, true);
    const Matrix again = generate(matrix.source, 1);
    require(again.source == matrix.source, "a canonical spec is its own");
    require(again.csr.row_ptr == matrix.csr.row_ptr && again.csr.col_idx == matrix.csr.col_idx &&
                again.csr.values == matrix.csr.values,
            "a canonical spec gives the same matrix");
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an error says what is wrong");
  }
}

}  // namespace sparserepro::fuzz
