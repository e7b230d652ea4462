// Parallel reader of Matrix Market files in two passes, of which the first counts the entries of
// each row and the second puts them into the CSR matrix. A pass goes over the text window by
// window: chunks of the window are parsed by the threads, one of which reads the next window
// meanwhile; then each thread takes the entries of its rows. So the text is never in memory as a
// whole, nor is a list of coordinates, and the result depends on neither threads nor windows.
#include "io/matrix_market.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <numeric>

#include "formats/available_cores.hpp"
#include "formats/error.hpp"
#include "formats/region_error.hpp"
#include "generate/memory_limit.hpp"
#include "io/line_windows.hpp"
#include "io/matrix_market_chunk.hpp"
#include "io/row_sinks.hpp"

namespace sparserepro {
namespace {

using matrix_market::Chunk;
using matrix_market::RowOwner;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr std::size_t always_allowed_pointers = std::size_t{1} << 30;  // bytes
constexpr std::size_t pointers_per_text_byte = 64;                     // bytes

std::size_t pointer_bytes(const MatrixMarketHeader& header) {
  return static_cast<std::size_t>(std::max(header.rows, header.cols)) * sizeof(std::int64_t);
}

/// Throws InputError if row or column pointers would exceed both 1 GiB and 64 bytes for each byte
/// of text. The size line is then wrong, or CSR is the wrong format for the matrix.
void refuse_hypersparse(const MatrixMarketHeader& header, std::size_t text_bytes,
                        const std::string& name) {
  if (pointer_bytes(header) >
      std::max(always_allowed_pointers, pointers_per_text_byte * text_bytes)) {
    throw InputError(name + ":" + std::to_string(header.size_line) + ": " +
                     std::to_string(header.rows) + " rows and " + std::to_string(header.cols) +
                     " columns for " + std::to_string(header.entries) +
                     " entries: too sparse for CSR, whose pointers would take " +
                     std::to_string(pointer_bytes(header) >> 20) + " MiB");
  }
}

/// Whether the size line, which follows the first line and comments, is among these lines.
bool has_size_line(std::string_view text) {
  for (std::size_t at = text.find('\n') + 1; at < text.size() && at > 0;) {
    const std::size_t end = text.find('\n', at);
    if (!matrix_market::is_comment(text.substr(at, end - at))) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

/// A sink that takes nothing: the pass only checks the file.
struct Nothing {
  void take(const matrix_market::WindowEntries&, RowOwner, bool) {}
};

/// Some chunks for each thread. Two windows and the entries of one take at most six times as much.
std::size_t window_bytes(int threads) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  return std::clamp<std::size_t>(static_cast<std::size_t>(threads), 8, 32) * mib;
}

class Reader {
 public:
  Reader(TextStream& text, const std::string& name, const MatrixMarketOptions& options)
      : threads_(options.threads > 0 ? options.threads : available_cores()),
        windows_(text, options.window_bytes > 0 ? options.window_bytes : window_bytes(threads_)),
        name_(name),
        options_(options) {}

  MatrixMarketFile read() {
    Sha256 digest;
    begin(&digest);
    header_ = matrix_market::read_header(windows_.window(), name_);
    // Where the first lines alone do not justify a number for each row, the whole text is checked
    // before any is allocated.
    if (pointer_bytes(header_) > pointers_per_text_byte * windows_.window().size()) {
      Nothing nothing;
      pass(nothing);
      refuse_hypersparse(header_, text_bytes_, name_);
      refuse_beyond_memory(header_.entries);
      digest = Sha256();
      begin(&digest);
    }
    matrix_market::RowCounter counter(header_.rows);
    pass(counter);
    refuse_beyond_memory(
        std::accumulate(counter.counts.begin(), counter.counts.end(), std::int64_t{0}));
    begin(nullptr);
    matrix_market::RowFiller filler(header_.rows, header_.cols, counter.counts,
                                    header_.symmetry == Symmetry::skew_symmetric);
    counter.counts = {};
    pass(filler);
    if (!filler.finish(threads_)) {
      throw InputError(name_ + ": changed while it was read");
    }
    return {header_, std::move(filler.csr), digest.hex()};
  }

 private:
  void refuse_beyond_memory(std::int64_t entries) const {
    if (const std::string refusal = memory_refusal(header_.rows, entries); !refusal.empty()) {
      throw InputError(name_ + ": " + refusal);
    }
  }

  /// Goes to the start of the text, with the header in the first window.
  void begin(Sha256* digest) {
    windows_.restart(digest);
    while (!windows_.last() && !has_size_line(windows_.window())) {
      windows_.extend();
    }
  }

  /// Gives the entries of all windows to `sink`. Throws InputError for the file's first error.
  template <class Sink>
  void pass(Sink& sink) {
    const bool mirror = header_.symmetry != Symmetry::general;
    const bool with_values = header_.field != MatrixMarketHeader::Field::pattern;
    std::string_view lines = windows_.window().substr(header_.bytes);
    text_bytes_ = header_.bytes;
    lines_ = entries_ = 0;
    for (bool more = true; more; lines = windows_.window()) {
      window_.cut(lines, std::max<std::size_t>(options_.chunk_bytes, 1), with_values);
      text_bytes_ += lines.size();
      more = !windows_.last();
      const auto chunks = static_cast<std::int64_t>(window_.chunks.size());
      std::exception_ptr failure;  // of the next window
      RegionError error;
      const auto team = static_cast<int>(std::min<std::int64_t>(threads_, chunks + 1));
#pragma omp parallel num_threads(team)
      {
#pragma omp single nowait
        try {
          if (more) {
            windows_.fetch();
          }
        } catch (...) {
          failure = std::current_exception();
        }
#pragma omp for schedule(dynamic)
        for (std::int64_t c = 0; c < chunks; ++c) {
          error.guard([&] {
            matrix_market::read_chunk(window_.chunks[c], header_, options_.allow_nonfinite,
                                      window_);
          });
        }
        const auto owners =
            static_cast<index_t>(std::bit_floor(static_cast<unsigned>(omp_get_num_threads())));
        if (omp_get_thread_num() < owners) {
          sink.take(window_, {omp_get_thread_num(), owners}, mirror);
        }
      }
      error.rethrow();
      join();
      if (failure) {
        std::rethrow_exception(failure);
      }
      if (more) {
        windows_.advance();
      }
    }
    if (entries_ < header_.entries) {
      fail(lines_, "the file ends after " + std::to_string(entries_) + " of the " +
                       std::to_string(header_.entries) + " entries that line " +
                       std::to_string(header_.size_line) + " promises");
    }
  }

  /// Adds up lines and entries of the window. Throws InputError for its first error. What a wrong
  /// window has given to the sink before is of no use, and of no harm.
  void join() {
    for (const Chunk& chunk : window_.chunks) {
      const std::int64_t room = header_.entries - entries_;
      if (chunk.entries > room) {
        fail(lines_ + line_of_entry(chunk, room) + 1,
             "one more entry than the " + std::to_string(header_.entries) + " that line " +
                 std::to_string(header_.size_line) + " promises");
      }
      if (chunk.error) {
        fail(lines_ + chunk.lines + 1, chunk.error->what);
      }
      lines_ += chunk.lines;
      entries_ += chunk.entries;
    }
  }

  /// `line`: after the size line.
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw InputError(name_ + ":" + std::to_string(header_.size_line + line) + ": " + what);
  }

  int threads_;
  LineWindows windows_;
  const std::string& name_;
  const MatrixMarketOptions& options_;
  MatrixMarketHeader header_;
  matrix_market::WindowEntries window_;
  std::size_t text_bytes_ = 0;
  std::int64_t lines_ = 0;    // read, after the size line
  std::int64_t entries_ = 0;  // read
};

}  // namespace

MatrixMarketFile read_matrix_market(TextStream& text, const std::string& name,
                                    const MatrixMarketOptions& options) {
  return Reader(text, name, options).read();
}

MatrixMarketFile read_matrix_market(const std::string& path, const MatrixMarketOptions& options) {
  TextFile file(path);
  return read_matrix_market(file, path, options);
}

MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options) {
  TextInMemory stream(text);
  return read_matrix_market(stream, name, options);
}

}  // namespace sparserepro
