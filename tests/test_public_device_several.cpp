// Several devices, threads and streams at once: each has its own objects, and all answers are
// right. Without CUDA the functions are not in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/device_work.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// What a thread does: two streams on each of `devices`, which take turns. Returns what went wrong.
std::string run(const Wanted& wanted, const std::vector<int>& devices, int rounds) {
  try {
    std::vector<std::unique_ptr<Work>> all;
    for (int stream = 0; stream < 2; ++stream) {
      for (const int device : devices) {
        CUDA_CHECK(cudaSetDevice(device));
        all.push_back(std::make_unique<Work>(wanted, device));
      }
    }
    for (int round = 0; round < rounds; ++round) {
      for (const auto& work : all) {
        work->queue();
      }
    }
    std::string wrong;
    for (const auto& work : all) {
      wrong += work->wrong();
    }
    return wrong;
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Two threads, each with a matrix and a graph of its own, begin at the same time.
void check_threads(const std::vector<std::vector<int>>& devices_of_thread, int rounds) {
  const Wanted wanted[] = {
      Wanted("uniform:rows=30000,cols=20000,nnz=500000,seed=8", "rmat:scale=11"),
      Wanted("rmat:scale=13,edge_factor=16,symmetric=0", "mesh:width=90,height=70")};
  std::string wrong[2];
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < 2) {
        std::this_thread::yield();
      }
      wrong[t] = run(wanted[t], devices_of_thread[static_cast<std::size_t>(t)], rounds);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong[0] == "");
  CHECK(wrong[1] == "");
}

int device_count() {
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  return count;
}

}  // namespace

TEST_CASE("public functions on the device: two threads with two streams each",
          "[public][cuda][several]") {
  require_device();
  check_threads({{0}, {0}}, 20);
}

TEST_CASE("public functions on the device: two devices, a thread each and both at once",
          "[public][cuda][several]") {
  require_device();
  if (device_count() < 2) {
    SKIP("one device");
  }
  check_threads({{0}, {1}}, 20);
  check_threads({{0, 1}, {1, 0}}, 10);
}

TEST_CASE("public functions on the device: a thread with two streams",
          "[public][cuda][several][small]") {
  require_device();
  const Wanted wanted("uniform:rows=300,cols=500,nnz=3000,seed=8", "rmat:scale=6,edge_factor=8");
  CHECK(run(wanted, {0}, 1) == "");
}

#endif
