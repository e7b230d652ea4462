// Entry points of libFuzzer for the target that SPARSEREPRO_FUZZ_TARGET names. A property that does
// not hold ends the process by an exception that nobody catches, which libFuzzer reports.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto target = sparserepro::fuzz::target_of(SPARSEREPRO_FUZZ_TARGET);
  target({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifdef SPARSEREPRO_FUZZ_GZIP
// A changed byte of a gzip file is nearly always a wrong checksum. Half of the changes are
// therefore made to the text, which is compressed again; the other half to the bytes of the file.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

/// zlib's streams allocate 300 KB between them; they are made once.
std::string gzip(const std::string& text, int level) {
  static z_stream streams[3] = {};
  z_stream& stream = streams[level];
  if (stream.state == nullptr) {
    deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 1, Z_DEFAULT_STRATEGY);
  }
  deflateReset(&stream);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  return out;
}

/// The first bytes of the text, as far as it is not damaged.
std::string inflated(std::string_view packed, std::size_t most) {
  static z_stream stream{};
  if (stream.state == nullptr) {
    inflateInit2(&stream, 16 + MAX_WBITS);
  }
  inflateReset(&stream);
  std::string out(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  return out;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  constexpr std::size_t longest_text = 2048;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (seed % 2 == 0 && bytes.starts_with("\x1f\x8b")) {
    std::string text = inflated(bytes, longest_text);
    const std::size_t before = text.size();
    text.resize(longest_text);
    text.resize(
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), before, longest_text));
    const std::string packed = gzip(text, static_cast<int>(seed / 2 % 3));
    if (packed.size() <= most) {
      std::copy(packed.begin(), packed.end(), data);
      return packed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
#endif
