// Reading of plain, gzip, missing and damaged files, and the digest that identifies files.
#include <chrono>
#include <filesystem>
#include <string>

#include "formats/error.hpp"
#include "io/sha256.hpp"
#include "io/text_stream.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace {

using namespace sparserepro;
using sparserepro::testing::gzip;
using sparserepro::testing::ScratchFolder;

/// The rest of a text, read so many bytes at a time.
std::string all(TextStream& text, std::size_t step) {
  std::string read;
  for (std::size_t count = step; count == step;) {
    read.resize(read.size() + step);
    count = text.read(read.data() + read.size() - step, step);
    read.resize(read.size() - step + count);
  }
  return read;
}

/// The text of a file with these bytes, or the message that refuses it, without the path.
std::string read(const ScratchFolder& folder, const std::string& bytes) {
  const std::string path = folder.write("file", bytes);
  try {
    TextFile file(path);
    const std::string text = all(file, 1 << 20);
    file.rewind();
    CHECK(all(file, 1000) == text);  // again, in small parts
    CHECK(text.size() <= file.most_bytes());
    return text;
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.substr(0, path.size() + 2) == path + ": ");
    return message.substr(path.size() + 2);
  }
}

std::string long_text() {
  std::string text;
  for (int n = 0; n < 50000; ++n) {
    text += std::to_string(n * 7919 % 65537) + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("plain and gzip files give the same text") {
  const ScratchFolder folder;
  for (const std::string& text : {std::string(), std::string("a\n"), std::string(4096, 'x'),
                                  std::string(1000000, 'y'), long_text()}) {
    CHECK(read(folder, text) == text);
    CHECK(read(folder, gzip(text)) == text);
  }
}

TEST_CASE("members of a gzip file are joined, padding behind them is skipped") {
  const ScratchFolder folder;
  const std::string text = long_text();
  CHECK(read(folder, gzip(text) + gzip("") + gzip("end\n")) == text + "end\n");
  CHECK(read(folder, gzip("a\n") + std::string(512, '\0')) == "a\n");
}

TEST_CASE("damaged gzip files are refused") {
  const ScratchFolder folder;
  const std::string whole = gzip(long_text());
  for (const std::size_t size : {std::size_t{2}, std::size_t{9}, std::size_t{18}, whole.size() / 2,
                                 whole.size() - 8, whole.size() - 1}) {
    INFO(size);
    CHECK(read(folder, whole.substr(0, size)) == "the gzip data is truncated");
  }
  std::string wrong_sum = whole;
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  CHECK(read(folder, wrong_sum) == "the gzip data is damaged (incorrect data check)");
  std::string wrong_size = whole;
  wrong_size[wrong_size.size() - 1] ^= 64;  // announces a text of more than 1 GiB
  CHECK(read(folder, wrong_size) == "the gzip data is damaged (incorrect length check)");
  CHECK(read(folder, whole + "more") == "other data follows the gzip data");
}

TEST_CASE("what is no file is refused") {
  const ScratchFolder folder;
  const auto message_of = [](const std::string& path) -> std::string {
    try {
      TextFile file(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(message_of(folder.path()) == folder.path() + ": is a directory, not a matrix file");
  CHECK(message_of(folder.path() + "/none.mtx") == folder.path() + "/none.mtx: no such file");
  CHECK(message_of("/dev/null") == "/dev/null: is not a regular file");
}

TEST_CASE("a file that becomes shorter or changes while it is read is refused") {
  const ScratchFolder folder;
  const std::string path = folder.write("file.mtx", std::string(1 << 20, '1'));
  TextFile file(path);
  char byte = 0;
  CHECK(file.read(&byte, 1) == 1);
  CHECK_NOTHROW(file.require_unchanged());
  std::filesystem::resize_file(path, 4096);
  CHECK_THROWS_WITH(all(file, 1 << 20), path + ": became shorter while it was read");
  CHECK_THROWS_WITH(file.require_unchanged(), path + ": changed while it was read");

  TextFile same_size(path);
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK(all(same_size, 8192).size() == 4096);
  CHECK_THROWS_WITH(same_size.require_unchanged(), path + ": changed while it was read");
}

TEST_CASE("SHA-256 of the examples of FIPS 180-4") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
