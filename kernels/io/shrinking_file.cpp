#include "io/shrinking_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace sparserepro {
namespace {

// What the handler reads: it may call nothing that takes a lock or memory.
std::atomic<std::uintptr_t> watched{0};
std::atomic<std::size_t> watched_bytes{0};
std::array<char, 4400> message{};
std::size_t message_bytes = 0;
struct sigaction earlier {};

void on_bus_error(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t begin = watched.load();
  if (begin != 0 && at >= begin && at - begin < watched_bytes.load()) {
    static_cast<void>(!::write(STDERR_FILENO, message.data(), message_bytes));
    ::_exit(1);
  }
  ::sigaction(signal, &earlier, nullptr);  // the read is repeated, and meets the earlier action
}

}  // namespace

ShrinkingFileWatch::ShrinkingFileWatch(const void* mapping, std::size_t bytes,
                                       const std::string& path)
    : mapping_(mapping) {
  watched = 0;
  const std::string text = path + ": became shorter while it was read\n";
  message_bytes = std::min(text.size(), message.size());
  std::memcpy(message.data(), text.data(), message_bytes);
  watched_bytes = bytes;
  watched = reinterpret_cast<std::uintptr_t>(mapping);
  [[maybe_unused]] static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGBUS, &action, &earlier) == 0;
  }();
}

ShrinkingFileWatch::~ShrinkingFileWatch() {
  auto own = reinterpret_cast<std::uintptr_t>(mapping_);
  watched.compare_exchange_strong(own, 0);
}

}  // namespace sparserepro
