// The folder of matrices in binary form: which sources are kept, what is deleted above the limit,
// and what the environment says of folder and limit.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "io/matrix_cache.hpp"
#include "support/catch.hpp"
#include "support/kept_matrix.hpp"
#include "support/scratch.hpp"

namespace {

using namespace sparserepro;
using namespace sparserepro::testing;
namespace fs = std::filesystem;

}  // namespace

TEST_CASE("the least recently used are deleted above the limit") {
  const ScratchFolder folder;
  const auto named = [](const std::string& name) {
    return MatrixSource{"/data/" + name, source.stamp};
  };
  const MatrixCache large(folder.path(), gib);
  const std::uint64_t size = fs::file_size(kept(large, named("a")));
  const auto hours = std::chrono::hours(1);
  const auto now = fs::file_time_type::clock::now();
  kept(large, named("b"));
  kept(large, named("c"));
  fs::last_write_time(large.file_of("/data/a"), now - 3 * hours);
  fs::last_write_time(large.file_of("/data/b"), now - 2 * hours);
  fs::last_write_time(large.file_of("/data/c"), now - hours);
  std::vector<std::string> notes;
  REQUIRE(large.find(named("a"), notes));  // now used last

  const MatrixCache three(folder.path(), 3 * size);
  kept(three, named("d"));
  CHECK(fs::exists(large.file_of("/data/a")));
  CHECK(!fs::exists(large.file_of("/data/b")));
  CHECK(fs::exists(large.file_of("/data/c")));
  kept(three, named("d"));  // replaces itself and nothing else
  CHECK(files_in(folder.path()).size() == 3);

  const MatrixCache none(folder.path(), size - 1);
  none.keep(named("e"), example(), notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("more than the limit (SPARSEREPRO_CACHE_GIB)") != std::string::npos);
  CHECK(files_in(folder.path()).size() == 3);
}

TEST_CASE("leftovers of writers that ended are deleted, those of others stay") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  const std::string old = folder.write("old.csr.1.part", "x");
  const std::string young = folder.write("young.csr.2.part", "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  kept(cache);
  CHECK(!fs::exists(old));
  CHECK(fs::exists(young));
}

TEST_CASE("small sources, and those that have just changed, are not kept") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  MatrixSource small = source, young = source;
  small.stamp.bytes = MatrixCache::least_source_bytes - 1;
  young.stamp.changed_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  for (const MatrixSource& from : {small, young}) {
    std::vector<std::string> notes;
    cache.keep(from, example(), notes);
    CHECK(notes.empty());
  }
  CHECK(files_in(folder.path()).empty());
}

TEST_CASE("a folder that cannot be made costs a note") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.write("file", "") + "/cache", gib);
  std::vector<std::string> notes;
  cache.keep(source, example(), notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].ends_with(" cannot be kept: Not a directory"));
}

TEST_CASE("the environment names folder and limit") {
  const auto folder = [] {
    const std::string file = MatrixCache::of_user().file_of("/data/a.mtx");
    return file.substr(0, file.rfind('/'));
  };
  const auto set = [](const char* name, const char* value) { ::setenv(name, value, 1); };
  for (const char* name : {"SPARSEREPRO_CACHE", "SPARSEREPRO_CACHE_GIB", "XDG_CACHE_HOME"}) {
    ::unsetenv(name);
  }
  set("HOME", "/home/you");
  CHECK(folder() == "/home/you/.cache/sparserepro");
  set("XDG_CACHE_HOME", "/xdg");
  CHECK(folder() == "/xdg/sparserepro");
  set("XDG_CACHE_HOME", "relative");  // to be ignored, as XDG says
  CHECK(folder() == "/home/you/.cache/sparserepro");
  set("SPARSEREPRO_CACHE", "/named");
  CHECK(folder() == "/named");
  set("SPARSEREPRO_CACHE_GIB", "0.5");
  CHECK_NOTHROW(folder());
  for (const char* wrong : {"0", "-1", "two", "1x", "nan"}) {
    set("SPARSEREPRO_CACHE_GIB", wrong);
    CHECK_THROWS_AS(folder(), InputError);
  }
  ::unsetenv("SPARSEREPRO_CACHE_GIB");
  set("SPARSEREPRO_CACHE", "no");
  std::vector<std::string> notes;
  MatrixCache::of_user().keep(source, example(), notes);
  CHECK(notes.empty());
  CHECK(!MatrixCache::of_user().find(source, notes));
}
