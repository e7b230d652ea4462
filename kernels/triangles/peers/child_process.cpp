#include "triangles/peers/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace sparserepro {
namespace {

/// Descriptor of a file without a name, closed on exec.
int unnamed_file() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) {
    return -1;
  }
  const int descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
  std::fclose(file);
  return descriptor;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    return "was killed by signal " + std::to_string(WTERMSIG(status));
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& argv) : program_(argv.at(0)) {
  int ends[2] = {-1, -1};
  errors_ = unnamed_file();
  if (errors_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    const std::string why = std::strerror(errno);
    close_files();
    throw std::runtime_error("cannot start " + program_ + ": " + why);
  }
  socket_ = ends[0];
  std::vector<char*> arguments;
  for (const std::string& argument : argv) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  const int error = posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    pid_ = -1;
    close_files();
    throw std::runtime_error("cannot start " + program_ + ": " + std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close_files();
}

void ChildProcess::close_files() {
  for (int* const descriptor : {&socket_, &errors_}) {
    if (*descriptor >= 0) {
      close(*descriptor);
      *descriptor = -1;
    }
  }
}

void ChildProcess::send(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent < 0) {
      fail();
    }
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

std::string ChildProcess::receive_line() {
  std::size_t newline;
  while ((newline = received_.find('\n')) == std::string::npos) {
    char block[4096];
    const ssize_t got = recv(socket_, block, sizeof block, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      fail();
    }
    received_.append(block, static_cast<std::size_t>(got));
  }
  std::string line = received_.substr(0, newline);
  received_.erase(0, newline + 1);
  return line;
}

std::string ChildProcess::last_error_line() {
  constexpr off_t longest = 2000;
  const off_t size = lseek(errors_, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::min(size, longest)), '\0');
  const ssize_t got = pread(errors_, text.data(), text.size(), size > longest ? size - longest : 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  text.erase(text.find_last_not_of(" \r\n") + 1);
  const std::size_t start = text.find_last_of('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

/// The stream has ended, so the program has, or may as well: it has a moment to leave by itself, so
/// that its own status is reported.
void ChildProcess::fail() {
  std::string message = program_ + " stopped answering";
  if (pid_ > 0) {
    int status = 0;
    pid_t ended = 0;
    for (int wait = 0; wait < 100 && ended == 0; ++wait) {
      ended = waitpid(pid_, &status, WNOHANG);
      if (ended == 0) {
        usleep(10000);
      }
    }
    if (ended == pid_) {
      pid_ = -1;
      message = program_ + " " + describe_end(status);
    }
  }
  const std::string error = last_error_line();
  throw std::runtime_error(error.empty() ? message : message + ": " + error);
}

}  // namespace sparserepro
