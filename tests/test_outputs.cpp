// The files that drivers write: apart from the source and from one another, and whole.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "common/reading.hpp"
#include "common/record.hpp"
#include "formats/error.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace sparserepro {

TEST_CASE("an output is apart from the source, whatever their names", "[cli]") {
  namespace fs = std::filesystem;
  const testing::ScratchFolder folder;
  const std::string source = folder.write("a.mtx", "text");
  const std::string other = folder.write("b.mtx", "text");
  fs::create_symlink("a.mtx", folder.path() + "/link");
  fs::create_hard_link(source, folder.path() + "/same");
  for (const char* const name : {"/a.mtx", "/./a.mtx", "/link", "/same"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(require_apart(source, folder.path() + name), InputError);
    CHECK_THROWS_AS(require_apart(folder.path() + name, source), InputError);
  }
  for (const std::string& output : {other, folder.path() + "/new", std::string("-"), {}}) {
    CAPTURE(output);
    CHECK_NOTHROW(require_apart(source, output));
  }
  CHECK_NOTHROW(require_apart("mesh:width=3,height=3", other));
  CHECK_NOTHROW(require_apart("/dev/null", "/dev/null"));  // nothing is lost there
}

TEST_CASE("two outputs are two, whatever their names", "[cli]") {
  namespace fs = std::filesystem;
  const testing::ScratchFolder folder;
  const std::string file = folder.write("a", "text"), other = folder.write("b", "text");
  const std::string none = folder.path() + "/new", place = folder.path() + "/./";
  fs::create_symlink("a", folder.path() + "/link");
  fs::create_hard_link(file, folder.path() + "/same");
  for (const auto& [one, two] :
       {std::pair{file, file}, std::pair{file, folder.path() + "/link"},
        std::pair{folder.path() + "/same", file}, std::pair{file, place + "a"},
        std::pair{none, none}, std::pair{none, place + "new"}, std::pair{place + "new", none},
        std::pair{std::string("new"), std::string("./new")},
        std::pair{std::string("-"), std::string("-")}}) {
    CAPTURE(one, two);
    CHECK_THROWS_AS(require_two_outputs(one, two), InputError);
  }
  for (const auto& [one, two] :
       {std::pair{file, other}, std::pair{file, none}, std::pair{none, file},
        std::pair{std::string("-"), none}, std::pair{std::string("-"), std::string("./-")},
        std::pair{std::string(), std::string()}, std::pair{file, std::string()},
        std::pair{std::string("/dev/null"), std::string("/dev/null")}}) {
    CAPTURE(one, two);
    CHECK_NOTHROW(require_two_outputs(one, two));
  }
}

TEST_CASE("a text is written whole or not at all", "[record]") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / "sparserepro-test-write.txt").string();
  write_text(path, "one\n");
  std::ifstream file(path);
  std::string line;
  CHECK(std::getline(file, line));
  CHECK(line == "one");
  std::filesystem::remove(path);
  CHECK_THROWS_AS(write_text((folder / "no-such-folder" / "x").string(), "x"), InputError);
}

TEST_CASE("records go into a device, a pipe or a link, and replace none of them", "[record]") {
  namespace fs = std::filesystem;
  const testing::ScratchFolder folder;
  const fs::path home = folder.path();
  const auto content = [](const fs::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  SECTION("a link") {
    std::ofstream(home / "target") << "before";
    fs::create_symlink("target", home / "link");
    write_text((home / "link").string(), "after");
    CHECK(fs::is_symlink(home / "link"));
    CHECK(content(home / "target") == "after");
  }
  SECTION("a pipe") {
    const std::string pipe = (home / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::string found;
    std::thread reader([&] { found = content(pipe); });
    write_text(pipe, "through");
    reader.join();
    CHECK(found == "through");
    CHECK(fs::is_fifo(pipe));
  }
  SECTION("a file of the user beside it") {
    std::ofstream(home / "records.jsonl.part") << "mine";
    write_text((home / "records.jsonl").string(), "records");
    CHECK(content(home / "records.jsonl.part") == "mine");
    CHECK(std::distance(fs::directory_iterator(home), fs::directory_iterator()) == 2);
  }
  SECTION("a file keeps its mode") {
    std::ofstream(home / "file") << "before";
    fs::permissions(home / "file", fs::perms::owner_read | fs::perms::owner_write);
    write_text((home / "file").string(), "after");
    CHECK(content(home / "file") == "after");
    CHECK(fs::status(home / "file").permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
  }
}

}  // namespace sparserepro
