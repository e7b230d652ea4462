// The public plan on a device: permutation and values of every width against the reference, by both
// ways, in workspaces of exactly the size asked for. Without CUDA it is not in the library.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/transpose_plan.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/guarded.hpp"
#include "support/public_check.hpp"
#include "transpose/cuda_plan/policy.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Analyses `matrix` and moves values twice, other ones the second time.
template <class Offset, class Index, class Value>
void check_plan(const Matrix& matrix, device::PlanPath path) {
  const auto& csr = matrix.csr;
  const auto nnz = static_cast<std::size_t>(csr.nnz());
  const Stream stream;
  const cudaStream_t s = stream.get();
  const auto wanted = transpose_reference(numbered(matrix));
  const Buffer<Offset> row_ptr(csr.row_ptr.begin(), csr.row_ptr.end());
  const Buffer<Index> col_idx(csr.col_idx.begin(), csr.col_idx.end());
  DeviceBuffer<Offset> d_ptr(row_ptr, s), out_ptr(static_cast<std::size_t>(csr.cols) + 1, s);
  DeviceBuffer<Index> d_idx(col_idx, s), out_idx(nnz, s);
  DeviceBuffer<Value> d_values(nnz, s), out_values(nnz, s);
  DeviceBuffer<std::int32_t> d_source(nnz, s);
  constexpr DataType type = sizeof(Value) == 2   ? DataType::fp16
                            : sizeof(Value) == 4 ? DataType::fp32
                                                 : DataType::fp64;
  const CsrInput a{csr.rows,     csr.cols,     csr.nnz(),
                   d_ptr.data(), d_idx.data(), {d_values.data(), type}};
  device::TransposePlan plan(a, {.path = path});
  Guarded memory(plan.plan_bytes(), s), workspace(plan.analysis_bytes(), s),
      between(plan.call_bytes(), s);
  plan.analyse(a, {out_ptr.data(), out_idx.data(), {}}, d_source.data(), memory.data(),
               plan.plan_bytes(), workspace.data(), plan.analysis_bytes(), s);
  Buffer<Offset> got_ptr(out_ptr.size());
  Buffer<Index> got_idx(nnz);
  Buffer<std::int32_t> got_source(nnz);
  out_ptr.copy_to(got_ptr.data(), s);
  out_idx.copy_to(got_idx.data(), s);
  d_source.copy_to(got_source.data(), s);
  stream.synchronize();
  CHECK(same_pattern(wanted, got_ptr.data(), got_idx.data()));
  CHECK(std::equal(got_source.begin(), got_source.end(), wanted.values.begin()));
  for (const std::int64_t shift : {0, 17}) {
    Buffer<Value> values(nnz), got(nnz);
    for (std::size_t p = 0; p < nnz; ++p) {
      values[p] = stamp<Value>(static_cast<std::int64_t>(p) + shift);
    }
    d_values.copy_from(values.data(), s);
    out_values.fill_bytes(0xff, s);
    plan({d_values.data(), type}, {out_values.data(), type}, between.data(), plan.call_bytes(), s);
    out_values.copy_to(got.data(), s);
    stream.synchronize();
    CHECK(stamped(wanted, got.data(), shift));
  }
  CHECK((memory.intact(s) && workspace.intact(s) && between.intact(s)));
}

void check_plans(const Matrix& matrix) {
  CAPTURE(matrix.name, matrix.source);
  for (const device::PlanPath path :
       {device::PlanPath::automatic, device::PlanPath::gather, device::PlanPath::two_passes}) {
    check_plan<std::int32_t, std::int32_t, std::uint64_t>(matrix, path);
    check_plan<std::int64_t, std::int64_t, std::uint32_t>(matrix, path);
    check_plan<std::int32_t, std::int32_t, std::uint16_t>(matrix, path);
  }
}

}  // namespace

TEST_CASE("public plan on the device: small matrices", "[public][cuda][small]") {
  require_device();
  check_plans(generate("uniform:rows=300,cols=500,nnz=4003"));
  check_plans(generate("banded:rows=900,diagonals=5"));
}

TEST_CASE("public plan on the device: permutation, and values of every width", "[public][cuda]") {
  require_device();
  std::vector<Matrix> matrices;
  for (const auto& named : battery()) {
    matrices.push_back(named.matrix);
  }
  for (const char* const spec :
       {"uniform:rows=3000,cols=5000,nnz=40003", "uniform:rows=90000,cols=70000,nnz=1500001",
        "banded:rows=200000,diagonals=9", "circuit:rows=20000,dense_length=5000",
        "fem:stencil=27,nx=28,ny=28,nz=28,dofs=3", "mesh:width=900,height=900",
        "uniform:rows=2000000,cols=3000000,nnz=9000000"}) {
    matrices.push_back(generate(spec));
  }
  for (const Matrix& matrix : matrices) {
    check_plans(matrix);
  }
}

TEST_CASE("public plan on the device: so many tiles that each lane of a warp copies a run",
          "[public][cuda]") {
  require_device();
  constexpr std::int64_t nnz = 30'000'000;
  static_assert(nnz * 8 / ValuePlanPolicy::tile_bytes > 31 * ValuePlanPolicy::threads / 32);
  check_plan<std::int32_t, std::int32_t, std::uint64_t>(
      generate("uniform:rows=2000000,cols=2000000,nnz=" + std::to_string(nnz)),
      device::PlanPath::two_passes);
}

#endif
