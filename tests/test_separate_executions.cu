// Executions of a batch do not overlap, whatever their kernels wait for. Needs a GPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/grid_dependency.cuh"
#include "cuda/launch.hpp"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/peers/cusparse.hpp"
#include "cuda/stream.hpp"
#include "formats/csr.hpp"
#include "generate/generate.hpp"
#include "spmm/peers/cusparse_operands.cuh"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/on_host.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

struct Counters {
  unsigned* ended;  ///< executions so far
  unsigned* seen;   ///< [executions] those that had ended when this one began
  unsigned number;
};

/// An execution that lets the next one begin at once, does not wait for the one before, and takes
/// some 50 us.
__global__ void hasty_kernel(const __grid_constant__ Counters in) {
  let_next_grid_launch();
  in.seen[in.number] = *static_cast<volatile unsigned*>(in.ended);
  const long long begin = clock64();
  while (clock64() - begin < 100'000) {
  }
  atomicAdd(in.ended, 1U);
}

/// The executions that had ended when each of four began.
std::vector<unsigned> ended_before(bool separated) {
  constexpr std::size_t executions = 4;
  const Stream stream;
  QueuedTimer timer(stream.get());
  DeviceBuffer<unsigned> ended(std::size_t{1}, stream.get()), seen(executions, stream.get());
  for (int attempt = 0; attempt < 3; ++attempt) {  // the first launch of a kernel loads it, which
    ended.fill_bytes(0, stream.get());             // waits for the device
    timer.start();
    for (unsigned e = 0; e < executions; ++e) {
      if (separated && e > 0) {
        timer.separate();
      }
      queue_kernel(Begins::early, hasty_kernel, 1, 1, stream.get(), {ended.data(), seen.data(), e});
    }
    if (timer.stop() > 0.0) {
      break;
    }
  }
  CHECK_FALSE(timer.facts().lost);
  return on_host(seen, stream);
}

/// A X, A (A X), ... by cuSPARSE's alg3 with preparation.
class Chain {
 public:
  enum class Between { nothing, separator, wait };

  Chain(const Csr<std::int32_t, double>& a, std::int64_t k)
      : rows_(a.rows),
        k_(k),
        handle_(stream_.get()),
        timer_(stream_.get()),
        row_ptr_(a.row_ptr, stream_.get()),
        col_idx_(a.col_idx, stream_.get()),
        values_(a.values, stream_.get()),
        matrix_(describe_csr(CsrView<std::int32_t, double>{a.rows, a.cols, a.nnz(), row_ptr_.data(),
                                                           col_idx_.data(), values_.data()})) {
    for (int i = 0; i < 2; ++i) {
      dense_[i] = DeviceBuffer<double>(static_cast<std::size_t>(rows_ * k_), stream_.get());
      described_[i] = describe_dense(dense_[i].data(), rows_, k_, CUSPARSE_ORDER_ROW);
    }
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseSpMM_bufferSize(handle_.get(), plain, plain, &one, matrix_.get(),
                                           described_[0].get(), &zero, described_[1].get(),
                                           CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG3, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, stream_.get());
    CUSPARSE_CHECK(cusparseSpMM_preprocess(handle_.get(), plain, plain, &one, matrix_.get(),
                                           described_[0].get(), &zero, described_[1].get(),
                                           CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG3, buffer_.data()));
  }

  /// The last of a few products of X.
  std::vector<double> products(const std::vector<double>& x, Between between) {
    constexpr int products = 20;
    dense_[0].copy_from(x.data(), stream_.get());
    dense_[1].fill_bytes(0, stream_.get());
    timer_.start();  // all is queued before the first begins
    for (int p = 0; p < products; ++p) {
      if (between == Between::separator) {
        timer_.separate();
      }
      CUSPARSE_CHECK(cusparseSpMM(handle_.get(), plain, plain, &one, matrix_.get(),
                                  described_[p % 2].get(), &zero, described_[1 - p % 2].get(),
                                  CUDA_R_64F, CUSPARSE_SPMM_CSR_ALG3, buffer_.data()));
      if (between == Between::wait && p == 0) {
        timer_.stop();
      } else if (between == Between::wait) {
        stream_.synchronize();
      }
    }
    if (between != Between::wait) {
      timer_.stop();
      CHECK_FALSE(timer_.facts().lost);
    }
    return on_host(dense_[products % 2], stream_);
  }

 private:
  static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr double one = 1.0, zero = 0.0;

  Stream stream_;
  std::int64_t rows_, k_;
  CusparseHandle handle_;
  QueuedTimer timer_;
  DeviceBuffer<std::int32_t> row_ptr_;
  DeviceBuffer<index_t> col_idx_;
  DeviceBuffer<double> values_;
  CusparseDescriptor<const cusparseSpMatDescr> matrix_;
  DeviceBuffer<double> dense_[2];
  CusparseDescriptor<cusparseDnMatDescr> described_[2];
  DeviceBuffer<char> buffer_;
};

}  // namespace

TEST_CASE("executions of a batch are separated, also those that do not wait", "[cuda][timer]") {
  require_device();
  CHECK(ended_before(true) == std::vector<unsigned>{0, 1, 2, 3});
  if (may_launch_early(reinterpret_cast<const void*>(hasty_kernel))) {
    CHECK(ended_before(false) != std::vector<unsigned>{0, 1, 2, 3});  // the test can fail
  }
}

/// What the library does without separation is told by `-s` or in a failure: 12.9.4 is off by as
/// much as the largest element and more, 12.6.3 is right.
TEST_CASE("a chain of cuSPARSE's products is right where its executions are separated",
          "[cuda][timer][cusparse]") {
  require_device();
  const Matrix matrix = generate("uniform:rows=3000,cols=3000,nnz=600000");
  auto a = csr_cast<std::int32_t, double>(matrix.csr);
  for (index_t i = 0; i < a.rows; ++i) {  // sums of rows of about one
    for (std::int32_t e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e) {
      a.values[e] = static_cast<double>(1 + e % 5) /
                    static_cast<double>(3 * (a.row_ptr[i + 1] - a.row_ptr[i]));
    }
  }
  for (const std::int64_t k : {3, 16, 64}) {
    Chain chain(a, k);
    std::vector<double> x(static_cast<std::size_t>(a.rows * k));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<double>(i * 37 % 101) - 50.0;
    }
    const std::vector<double> right = chain.products(x, Chain::Between::wait);
    const std::vector<double> plain = chain.products(x, Chain::Between::nothing);
    double largest = 0.0, off = 0.0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      largest = std::max(largest, std::abs(right[i]));
      off = std::max(off, std::abs(plain[i] - right[i]));
    }
    INFO("k = " << k << ": without separation off by " << off / largest << " of the largest");
    CHECK(chain.products(x, Chain::Between::separator) == right);
  }
}
