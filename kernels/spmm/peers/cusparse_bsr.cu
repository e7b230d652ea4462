// cuSPARSE's product of a BSR matrix and a dense one (cusparseSpMM with CUSPARSE_SPMM_BSR_ALG1, the
// only algorithm for BSR), with X and Y both row-major or both column-major.
//
// A is stored in square row-major blocks of `block_edge` rows, as the library requires. The
// conversion of A by the library's csr2bsr is preprocessing; the blocks are workspace. Matrices
// whose blocks contain mostly zeros are refused. Blocks are dense where several unknowns share a
// node. The header marks csr2bsr as deprecated and names no successor.
#define DISABLE_CUSPARSE_DEPRECATED
#include <algorithm>
#include <cstdio>

#include "cuda/peers/cusparse_version.hpp"
#include "formats/statistics/duplicates.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/bsr_blocks.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/peers/cusparse_product.cuh"

namespace sparserepro {
namespace {

class CusparseBsr final : public CusparseProduct {
 public:
  CusparseBsr(const SpmmProblem& problem, const Params& params)
      : CusparseProduct(problem, params, CUSPARSE_SPMM_BSR_ALG1),
        size_(static_cast<int>(params.integer("block_edge"))) {
    if (empty()) {
      return;
    }
    cusparseMatDescr_t general = nullptr;
    CUSPARSE_CHECK(cusparseCreateMatDescr(&general));  // a general matrix with base 0
    general_.reset(general);
    const auto in = a();
    row_ptr_ = DeviceBuffer<int>(static_cast<std::size_t>(in.rows / size_) + 1, stream());
    const int blocks = find_pointers();
    col_idx_ = DeviceBuffer<int>(static_cast<std::size_t>(blocks), stream());
    values_ = DeviceBuffer<double>(static_cast<std::size_t>(blocks) * size_ * size_, stream());
    cusparseConstSpMatDescr_t bsr = nullptr;
    CUSPARSE_CHECK(cusparseCreateConstBsr(
        &bsr, in.rows / size_, in.cols / size_, blocks, size_, size_, row_ptr_.data(),
        col_idx_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    set_matrix(CusparseDescriptor<const cusparseSpMatDescr>(bsr));
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    if (!empty()) {
      const auto in = a();
      find_pointers();
      CUSPARSE_CHECK(cusparseDcsr2bsr(handle().get(), CUSPARSE_DIRECTION_ROW, in.rows, in.cols,
                                      general_.get(), in.values, in.row_ptr, in.col_idx, size_,
                                      general_.get(), values_.data(), row_ptr_.data(),
                                      col_idx_.data()));
    }
  }
  std::int64_t workspace_bytes() const override {
    return CusparseProduct::workspace_bytes() +
           static_cast<std::int64_t>(row_ptr_.bytes() + col_idx_.bytes() + values_.bytes());
  }

 private:
  /// Writes row_ptr_ and returns the number of blocks.
  int find_pointers() {
    const auto in = a();
    int blocks = 0;
    CUSPARSE_CHECK(cusparseXcsr2bsrNnz(handle().get(), CUSPARSE_DIRECTION_ROW, in.rows, in.cols,
                                       general_.get(), in.row_ptr, in.col_idx, size_,
                                       general_.get(), row_ptr_.data(), &blocks));
    return blocks;
  }

  int size_;
  CusparseDescriptor<cusparseMatDescr> general_;
  DeviceBuffer<int> row_ptr_, col_idx_;  // [block rows + 1], [blocks]
  DeviceBuffer<double> values_;          // [blocks size^2]
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

/// Largest number of stored values an entry: more cost more bytes than the saved column indices.
constexpr double most_fill = 2.0;

bool rows_ascend(const CsrView<std::int32_t, double>& a) {
  for (index_t i = 0; i < a.rows; ++i) {
    if (!std::is_sorted(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1])) {
      return false;
    }
  }
  return true;
}

std::string refusal(const SpmmProblem& problem, const Params& params) {
  if (std::string reason = cusparse_refusal(problem); !reason.empty()) {
    return reason;
  }
  const CsrView<std::int32_t, double> a = cusparse_matrix(problem).view();
  const auto size = static_cast<index_t>(params.integer("block_edge"));
  if (a.rows % size != 0 || a.cols % size != 0) {
    return "rows or columns are no multiple of block_edge " + std::to_string(size);
  }
  if (a.nnz == 0) {
    return "";
  }
  const double stored = static_cast<double>(count_blocks(a, size)) * size * size;
  if (stored > most_fill * a.nnz) {
    char fill[32];
    std::snprintf(fill, sizeof fill, "%.1f", stored / a.nnz);
    return "blocks of " + std::to_string(size) + " x " + std::to_string(size) + " store " + fill +
           " values an entry; more than 2 are refused";
  }
  if (stored > 2147483647.0) {
    return "the blocks hold more than 2^31 - 1 values";
  }
  return !rows_ascend(a) || has_duplicates(a)
             ? "cuSPARSE's csr2bsr wants each row's columns ascending and once each"
             : "";
}

}  // namespace

Algorithm<SpmmProblem> spmm_cusparse_bsr() {
  return {.name = "cusparse_bsr",
          .summary = "cuSPARSE's product of a matrix in square blocks and a dense one",
          .source = cusparse_title() + ", cusparseSpMM",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {{"block_edge",
                          std::int64_t{3},
                          {std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{6},
                           std::int64_t{8}},
                          "rows and columns of one block of BSR"},
                         cusparse_layout()},
          .unavailable = [] { return cusparse_unavailable(); },
          .refusal = refusal,
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CusparseBsr, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
