// Generators: random numbers, reproducibility, the canonical spec, messages.
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "generate/build.hpp"
#include "generate/generate.hpp"
#include "generate/random.hpp"
#include "io/load_matrix.hpp"
#include "io/sha256.hpp"
#include "support/catch.hpp"
#include "support/properties.hpp"
#include "support/statistics.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Digest of all arrays.
std::string digest(const Matrix& m) {
  const auto bytes = [](const auto& array) {
    return std::string(reinterpret_cast<const char*>(array.data()),
                       array.size() * sizeof(array[0]));
  };
  return sha256_hex(bytes(m.csr.row_ptr) + bytes(m.csr.col_idx) + bytes(m.csr.values))
      .substr(0, 16);
}

struct Pinned {
  std::string spec, digest;
};

/// A small instance of every family, with its digest. If a digest changes, published measurements
/// no longer name the matrices with which they were made.
const std::vector<Pinned> pinned{
    {"uniform:rows=300,cols=400,nnz=5000", "5b518c4de1fc461a"},
    {"uniform:rows=30,cols=20,nnz=500,seed=7", "9bbdf1da74af422a"},
    {"empty_rows:rows=300,cols=100,nnz=900,empty=0.25", "53148446887cba35"},
    {"short_rows:rows=500,cols=70", "dc349075555cad65"},
    {"banded:rows=900,diagonals=9,half_bandwidth=50,fill=0.8", "9d981e202dacc4a1"},
    {"fem:nx=6,ny=5,nz=4", "22f819d6e12519ca"},
    {"fem:stencil=5,nx=20,ny=15,nz=1,dofs=2", "f2cde638f8ad484a"},
    {"rmat:scale=9,edge_factor=8", "90308036502cb9e2"},
    {"road:width=50,height=40,permute=1", "046935f9ab72b377"},
    {"mesh:width=30,height=20,permute=1", "6683923c91213030"},
    {"circuit:rows=2000,spread=20,dense_length=900", "27a3300eb0388f9b"},
    {"powerlaw:rows=800,cols=900,exponent=1.8,max_row=300", "1473b263f68fc301"},
    {"complete:vertices=20", "70b25cdf7ee1c2da"},
    {"wheel:rim=20", "b3cb2629da1a67df"},
    {"friendship:triangles=20", "8b516ffdec5fc3cc"},
    {"star:leaves=20", "58680f1da2bbee91"},
    {"bipartite:left=7,right=9", "eb68f8df4c89d244"},
};

std::string message_of(const std::string& spec) {
  try {
    generate(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the published known answers") {
  using Block = std::array<std::uint32_t, 4>;
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("bounded draws are uniform and stay below the bound") {
  RandomStream stream(1, Purpose::edges, 0);
  std::vector<int> counts(7);
  for (int t = 0; t < 70000; ++t) {
    ++counts.at(stream.below(7));
  }
  CHECK(chi_square(counts, 10000) < 22.5);  // 6 degrees of freedom, p = 0.001
  CHECK(stream.below(1) == 0);
}

TEST_CASE("every family is pinned and does not depend on the threads") {
  std::set<std::string> covered;
  for (const auto& [spec, expected] : pinned) {
    INFO(spec);
    const Matrix m = generate(spec, 1);
    CHECK(digest(m) == expected);
    CHECK(digest(generate(spec, 2)) == expected);
    CHECK(digest(generate(spec, 3)) == expected);
    covered.insert(m.name);
  }
  for (const GeneratorInfo& info : generators()) {
    CHECK(covered.count(info.name) == 1);
  }
}

TEST_CASE("more rows than a thread's chunk do not depend on the threads") {
  for (const char* spec :
       {"uniform:rows=40000,cols=30000,nnz=200000", "rmat:scale=13,edge_factor=8",
        "road:width=300,height=200,permute=1", "powerlaw:rows=20000,cols=5000,max_row=2000"}) {
    INFO(spec);
    const std::string once = digest(generate(spec, 1));
    CHECK(digest(generate(spec, 2)) == once);
    CHECK(digest(generate(spec, 5)) == once);
  }
}

TEST_CASE("every field of the matrix is filled and the canonical spec gives it back") {
  for (const auto& [spec, unused] : pinned) {
    INFO(spec);
    const Matrix m = load_matrix(spec);
    CHECK_NOTHROW(m.csr.validate());
    CHECK(rows_strictly_ascend(m.csr));
    CHECK(m.source.find(m.name) == 0);
    CHECK(is_generator_spec(m.source));
    CHECK(m.origin == "generated");
    CHECK(m.symmetry == "general");
    CHECK(m.sha256 == sha256_hex(m.source));
    CHECK(m.explicit_zeros == 0);
    CHECK(m.entries_in_file == m.stored());
    CHECK(m.read_seconds > 0);
    const Matrix again = generate(m.source, 2);
    CHECK(again.source == m.source);
    CHECK(digest(again) == digest(m));
    const bool ones = std::all_of(m.csr.values.begin(), m.csr.values.end(),
                                  [](double value) { return value == 1; });
    CHECK(ones == (m.field == "pattern"));
  }
}

TEST_CASE("the canonical spec names every key in the table's order") {
  CHECK(generate("uniform:nnz=12,cols=4,rows=5").source == "uniform:rows=5,cols=4,nnz=12,seed=1");
  CHECK(generate("road:diagonals=.5,height=2,width=1e1").source ==
        "road:width=10,height=2,density=0.59,diagonals=0.5,permute=0,seed=1");
}

TEST_CASE("names are told from paths") {
  CHECK(is_generator_spec("uniform"));
  CHECK(is_generator_spec("uniform:rows=zero"));
  CHECK_FALSE(is_generator_spec("uniform.mtx"));
  CHECK_FALSE(is_generator_spec("folder/uniform"));
  CHECK_FALSE(is_generator_spec(""));
}

TEST_CASE("a matrix beyond the memory is refused before it is made") {
  CHECK_NOTHROW(generation::require_memory(1000, 1000));
  std::string refusal;
  try {
    generation::require_memory(1000, std::int64_t{1} << 50);
  } catch (const InputError& error) {
    refusal = error.what();
  }
  CHECK(refusal.starts_with("1000 rows with 1125899906842624 entries need 12582912.0 GiB; "));
}

TEST_CASE("what cannot be used is refused in one line that says what is allowed") {
  CHECK(message_of("unifrom:rows=3") == "unknown generator 'unifrom'; did you mean 'uniform'?");
  CHECK(message_of("uniform:row=3") == "uniform: unknown key 'row'; did you mean 'rows'?");
  CHECK(message_of("mesh:widht=3") == "mesh: unknown key 'widht'; did you mean 'width'?");
  CHECK(message_of("uniform:rows") == "uniform: expected key=value, not 'rows'");
  CHECK(message_of("uniform:rows=3,") == "uniform: expected key=value, not ''");
  CHECK(message_of("uniform:rows=3,rows=4") == "uniform: rows is given twice");
  for (const char* value : {"", "x", "-1", "2.5", "3000000000", "nan", "inf", "7 "}) {
    CHECK(message_of(std::string("uniform:rows=") + value) ==
          std::string("uniform: rows must be an integer from 0 to 2147483647, not '") + value +
              "'");
  }
  CHECK(message_of("road:density=1.5") == "road: density must be a number from 0 to 1, not '1.5'");
  CHECK(message_of("uniform:rows=3,cols=4,nnz=13") ==
        "uniform: nnz=13 exceeds the 12 cells of 3 x 4");
  CHECK(message_of("empty_rows:rows=4,cols=3,nnz=7,empty=0.5") ==
        "empty_rows: nnz=7 exceeds the 6 cells of 2 x 3");
  CHECK(message_of("short_rows:rows=4,cols=2") == "short_rows: per_row=3 exceeds cols=2");
  CHECK(message_of("banded:diagonals=4") == "banded: diagonals must be odd, not 4");
  CHECK(message_of("banded:diagonals=9,half_bandwidth=3") ==
        "banded: half_bandwidth=3 has no room for 4 diagonals on each side");
  CHECK(message_of("fem:stencil=7") == "fem: stencil must be 5, 9 or 27, not 7");
  CHECK(message_of("fem:stencil=5") == "fem: stencil=5 lies in a plane and needs nz=1");
  CHECK(message_of("fem:nx=100000,ny=100000") == "fem: nx * ny * nz * dofs exceeds 2147483647");
  CHECK(message_of("rmat:a=0.9") == "rmat: a + b + c exceeds 1");
  CHECK(message_of("mesh:width=100000,height=100000") == "mesh: width * height exceeds 2147483647");
  CHECK(message_of("circuit:rows=10") == "circuit: dense_length=100000 exceeds rows=10");
  CHECK(message_of("powerlaw:min_row=5,max_row=4") == "powerlaw: min_row exceeds max_row");
  CHECK(message_of("powerlaw:cols=100") == "powerlaw: max_row=20000 exceeds half of cols=100");
  CHECK(message_of("complete:vertices=2000000000").find("GiB") != std::string::npos);
  CHECK(message_of("uniform:rows=2000000,cols=2000000,nnz=4000000000000").find("GiB") !=
        std::string::npos);
}
