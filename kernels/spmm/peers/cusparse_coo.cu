// cuSPARSE's product of a COO matrix and a dense one (cusparseSpMM) with each algorithm for COO,
// with X and Y both in rows or both in columns.
//
// The row of each entry is expanded from the row pointers (cusparseXcsr2coo) where the product is
// prepared, which no kernel time contains: a user of COO has the rows already, in the order of rows
// that the library wants. An end-to-end cycle contains it, since it begins with CSR. The library
// documents that alg2 alone gives the same bits in each run, and that alg4 is meant for rows, the
// others for columns; its analysis (cusparseSpMM_preprocess) has no effect.
#include "cuda/cusparse_version.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/peers/cusparse_product.cuh"

namespace sparserepro {
namespace {

cusparseSpMMAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMM_COO_ALG1
         : name == "alg2" ? CUSPARSE_SPMM_COO_ALG2
         : name == "alg3" ? CUSPARSE_SPMM_COO_ALG3
                          : CUSPARSE_SPMM_COO_ALG4;
}

class CusparseCoo final : public CusparseProduct {
 public:
  CusparseCoo(const SpmmProblem& problem, const Params& params)
      : CusparseProduct(problem, params, algorithm_named(params.text("alg"))) {
    if (empty()) {
      return;
    }
    const auto in = a();
    row_idx_ = DeviceBuffer<index_t>(static_cast<std::size_t>(in.nnz), stream());
    CUSPARSE_CHECK(cusparseXcsr2coo(handle().get(), in.row_ptr, in.nnz, in.rows, row_idx_.data(),
                                    CUSPARSE_INDEX_BASE_ZERO));
    cusparseConstSpMatDescr_t coo = nullptr;
    CUSPARSE_CHECK(cusparseCreateConstCoo(&coo, in.rows, in.cols, in.nnz, row_idx_.data(),
                                          in.col_idx, in.values, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    set_matrix(CusparseDescriptor<const cusparseSpMatDescr>(coo));
  }

 private:
  DeviceBuffer<index_t> row_idx_;  // [nnz], a part of A in COO
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_coo() {
  return {
      .name = "cusparse_coo",
      .summary = "cuSPARSE's product of a COO matrix and a dense one",
      .source = cusparse_title() + ", cusparseSpMM",
      .backend = Backend::cuda,
      .peer = true,
      .parameters = {{"alg", "alg4", {"alg1", "alg2", "alg3", "alg4"}, "algorithm of the library"},
                     cusparse_layout()},
      .unavailable = [] { return cusparse_unavailable(); },
      .refusal = [](const SpmmProblem& problem,
                    const Params&) { return cusparse_refusal(problem); },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = make_run<CusparseCoo, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
