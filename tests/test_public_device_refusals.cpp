// What the public functions on a device refuse, in words. Without CUDA the functions are not in the
// library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <cstdint>
#include <string>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/transpose_plan.hpp"
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
  CsrInput halves = a;
  halves.values.type = DataType::fp16;
  CHECK(refusal([&] { device::SpmmPlan plan(halves, 1, {.path = device::SpmmPath::flat}); }) ==
        "path flat takes K = 1 in fp64 and fp32 alone");
  CsrInput doubles = a;
  doubles.values.type = DataType::fp64;
  CHECK(refusal([&] { device::SpmmPlan plan(doubles, 66, {.path = device::SpmmPath::flat}); }) ==
        "path flat takes at most 32 loads of a row of X; K = 66 makes 33");
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

TEST_CASE("device: what is written in memory that is read is refused", "[public][cuda][small]") {
  require_device();
  Block block;
  const cudaStream_t s = block.stream.get();
  char* const at = block.memory.data();
  block.memory.fill_bytes(0, s);  // row pointers of a matrix without entries, should one be used
  const auto text = [](const std::string& written, const std::string& other) {
    return written + " and " + other + " share memory; what is written must lie apart";
  };
  const CsrInput a{30, 30, 500, block.ints(0), block.ints(4096), {at + 8192, DataType::fp32}};
  const CsrOutput out{block.ints(16384), block.ints(20480), {at + 24576, DataType::fp32}};
  device::Transposer transposer(a);
  transposer.bind(at + 65536, transposer.workspace_bytes(), s);
  CsrOutput to = out;
  to.values.data = at + 8192 + 1024;
  CHECK(refusal([&] { transposer(a, to, s); }) == text("values of the answer", "values of A"));
  to.values.data = at + 20480;
  CHECK(refusal([&] { transposer(a, to, s); }) ==
        text("values of the answer", "col_idx of the answer"));

  device::TransposePlan plan(a);
  char* const room = at + 262144;
  const auto analyse = [&](const Array& permutation) {
    return refusal([&] {
      plan.analyse(a, out, permutation, room, plan.plan_bytes(), room + 131072,
                   plan.analysis_bytes(), s);
    });
  };
  CHECK(analyse(block.ints(4096)) == text("permutation", "col_idx of A"));
  CHECK(analyse(block.ints(16384)) == text("permutation", "row_ptr of the answer"));
  const ConstArray values = a.values;
  CHECK(refusal([&] {
          plan(values, {at + 8192, DataType::fp32}, room, plan.call_bytes(), s);
        }) == text("values of the answer", "values of A"));

  constexpr DataType fp32 = DataType::fp32;
  const auto product = [&](Operation operation, std::size_t x, std::size_t y) {
    device::SpmmPlan refused(a, 2, {.operation = operation});
    return refusal([&] {
      refused(1.0, {30, 2, 2, {at + x, fp32}}, 0.0, {30, 2, 2, {at + y, fp32}}, nullptr, 0, s);
    });
  };
  for (const Operation operation : {Operation::none, Operation::transpose}) {
    CHECK(product(operation, 32768, 32768) == text("Y", "X"));
    CHECK(product(operation, 32768, 32768 + 128) == text("Y", "X"));
  }
  CHECK(product(Operation::none, 32768, 8192) == text("Y", "values of A"));
  const std::string no_analysis = "no analysis: call analyse before the first product";
  CHECK(product(Operation::transpose, 32768, 8192) == no_analysis);  // A's arrays may be gone
  CHECK(product(Operation::none, 32768, 36864) == no_analysis);

  device::TriangleCounter counter(a);
  const auto number = [&](std::size_t byte) { return reinterpret_cast<std::uint64_t*>(at + byte); };
  CHECK(refusal([&] { counter.count(number(0), nullptr, s); }) ==
        text("triangles", "row_ptr of A"));
  CHECK(refusal([&] { counter.count(number(32768), number(32768), s); }) ==
        text("of_vertex", "triangles"));
  CHECK(refusal([&] { counter.support(number(4096), s); }) == text("of_entry", "col_idx of A"));
  CHECK(refusal([&] {
          device::local_clustering(a, number(32768), reinterpret_cast<double*>(at + 32768), s);
        }) == text("coefficients", "of_vertex"));
  CHECK(cudaStreamSynchronize(s) == cudaSuccess);
}

TEST_CASE("public product on the device: refusals of values and layouts", "[public][cuda][spmm]") {
  require_device();
  const Stream stream;
  const cudaStream_t s = stream.get();
  const auto csr =
      csr_cast<std::int32_t, float>(generate("uniform:rows=90,cols=80,nnz=500,seed=2").csr);
  const DeviceBuffer<std::int32_t> row_ptr(csr.row_ptr, s);
  const DeviceBuffer<index_t> col_idx(csr.col_idx, s);
  const DeviceBuffer<float> values(std::size_t{500}, s), x(std::size_t{80 * 4}, s);
  DeviceBuffer<float> y(std::size_t{90 * 4}, s);
  device::SpmmPlan plan(
      {csr.rows, csr.cols, csr.nnz(), row_ptr.data(), col_idx.data(), values.data()}, 4);
  CHECK(refusal([&] { plan.set_values(values.data(), s); }) ==
        "no analysis: call analyse before the first product");
  DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), analysis.size(), s);
  const DenseInput in{80, 4, 80, x.data(), DenseLayout::column_major};
  const DenseOutput out{90, 4, 4, y.data()};
  CHECK(plan.product_bytes(in, out) >= 80 * 4 * sizeof(float));
  CHECK(refusal([&] { plan(1.0, in, 0.0, out, nullptr, 0, s); }) ==
        "the workspace has 0 bytes; " + std::to_string(plan.product_bytes(in, out)) +
            " are needed");
  const DenseInput short_stride{80, 4, 79, x.data(), DenseLayout::column_major};
  CHECK(refusal([&] { plan(1.0, short_stride, 0.0, out, nullptr, 0, s); }) ==
        "the stride of X, column_major, is 79; it must be at least 80");
  CHECK(refusal([&] {
          plan.set_values({values.data(), DataType::fp16}, s);
        }) == "values are of fp16; those of the plan are of fp32");
}

#endif
