// What the public functions on a device refuse, in words. Without CUDA the functions are not in the
// library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <cstdint>
#include <string>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/public_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Memory of the device that arrays lie in, one beside the other.
struct Block {
  Stream stream;
  DeviceBuffer<char> memory{std::size_t{1} << 20, stream.get()};
  std::int32_t* ints(std::size_t byte) {
    return reinterpret_cast<std::int32_t*>(memory.data() + byte);
  }
};

}  // namespace

TEST_CASE("public functions on the device refuse what does not fit, in words",
          "[public][cuda][small]") {
  require_device();
  Block block;
  const cudaStream_t s = block.stream.get();
  char* const at = block.memory.data();
  const CsrInput a{300, 300, 5000, block.ints(0), block.ints(4096), {at + 65536, DataType::fp32}};
  const CsrOutput out{block.ints(131072), block.ints(196608), {at + 262144, DataType::fp32}};
  device::Transposer transposer(a);
  CHECK(refusal([&] { transposer(a, out, s); }) ==
        "no workspace: call bind before the first transposition");
  CHECK(refusal([&] { transposer.bind(nullptr, 0, s); }) ==
        "the workspace has 0 bytes; " + std::to_string(transposer.workspace_bytes()) +
            " are needed");
  CHECK(refusal([&] { transposer.bind(at + 16, 1 << 19, s); }) ==
        "the workspace must begin at a multiple of 256 bytes");
  CsrInput moved = a;
  moved.col_idx = block.ints(4100);
  CHECK(refusal([&] { transposer(moved, out, s); }) ==
        "an array of A does not begin at a multiple of 16 bytes");
  CsrInput other = a;
  other.nnz = 4999;
  CHECK(refusal([&] { transposer(other, out, s); }) ==
        "made for 300 x 300 with 5000 entries, row_ptr of int32, col_idx of int32, values of fp32; "
        "called with 300 x 300 with 4999 entries, row_ptr of int32, col_idx of int32, values of "
        "fp32");
  CsrInput wide = a;
  wide.cols = 30'000'000;
  CHECK(refusal([&] { device::Transposer refused(wide); }) ==
        "30000000 columns; two passes divide at most 21233664");
  CsrInput integers = a;
  integers.values.type = DataType::int32;
  CHECK(refusal([&] { device::SpmmPlan plan(integers, 1); }) ==
        "values are of int32; the product takes fp64, fp32, fp16 and bf16");
  CHECK(refusal([&] { device::SpmmPlan plan(a, 1, {.path = device::SpmmPath::flat}); }) ==
        "path flat takes fp64 alone");
  CsrInput doubles = a;
  doubles.values.type = DataType::fp64;
  CHECK(refusal([&] { device::SpmmPlan plan(doubles, 2, {.path = device::SpmmPath::flat}); }) ==
        "path flat takes K = 1 alone, not K = 2");
  CHECK_FALSE(refusal([&] { device::SpmmPlan plan(doubles, 2, {.calls = -1}); }).empty());
  device::SpmmPlan plan(doubles, 2);
  CHECK(refusal([&] { static_cast<void>(plan.product_bytes()); }) ==
        "no analysis: call analyse before the first product");
  CsrInput flat = a;
  flat.rows = 299;
  CHECK(refusal([&] { device::TriangleCounter counter(flat); }) ==
        "a graph's matrix is square, not 299 x 300");
}

TEST_CASE("device: arrays that do not begin at 16 bytes are refused by name",
          "[public][cuda][small]") {
  require_device();
  Block block;
  const cudaStream_t s = block.stream.get();
  char* const at = block.memory.data();
  const CsrInput a{30, 30, 500, block.ints(0), block.ints(4096), {at + 8192, DataType::fp32}};
  const CsrOutput out{block.ints(16384), block.ints(20480), {at + 24576, DataType::fp32}};
  const auto text = [](const std::string& name) {
    return "an array of " + name + " does not begin at a multiple of 16 bytes";
  };
  device::Transposer transposer(a);
  transposer.bind(at + 65536, transposer.workspace_bytes(), s);
  for (const int which : {0, 1, 2}) {
    CsrInput in = a;
    CsrOutput to = out;
    (which == 0 ? in.row_ptr.data : which == 1 ? in.col_idx.data : in.values.data) = at + 4;
    CHECK(refusal([&] { transposer(in, out, s); }) == text("A"));
    CHECK(refusal([&] { device::SpmmPlan plan(in, 2); }) == text("A"));
    (which == 0 ? to.row_ptr.data : which == 1 ? to.col_idx.data : to.values.data) = at + 8;
    CHECK(refusal([&] { transposer(a, to, s); }) == text("the answer"));
    CHECK(refusal([&] { device::TriangleCounter counter(in); }) == (which < 2 ? text("A") : ""));
  }
}

#endif
