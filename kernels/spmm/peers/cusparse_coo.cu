// cuSPARSE's product of a COO matrix and a dense one (cusparseSpMM) with each algorithm for COO,
// with X and Y both row-major or both column-major.
//
// `prepare` expands the row pointers to row indices (cusparseXcsr2coo). Kernel times do not contain
// this, since a user of COO has the row indices already, sorted as the library requires; end-to-end
// cycles contain it, since they begin with CSR. By the library's documentation only alg2 gives the
// same bits in each run, alg4 is meant for the row-major layout, the others for the column-major
// one, and its analysis (cusparseSpMM_preprocess) has no effect.
#include "cuda/peers/cusparse_version.hpp"
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
  DeviceBuffer<index_t> row_idx_;  // [nnz] of A in COO
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_coo() {
  return {.name = "cusparse_coo",
          .summary = "cuSPARSE's product of a COO matrix and a dense one",
          .source = cusparse_title() + ", cusparseSpMM",
          .backend = Backend::cuda,
          .peer = true,
          .parameters =
              {{"alg", "alg4", {"alg1", "alg2", "alg3", "alg4"}, "algorithm that the library uses"},
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
