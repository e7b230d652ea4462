// Sputnik's product in fp32 (Gale et al., SC'20): tiles of one dimension, loads of vectors, rows
// from the longest to the shortest. The order of the rows is its users' to make, once for a matrix:
// here preprocessing, on the host as in its own benchmarks.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/research_code.hpp"

#ifdef SPARSEREPRO_HAS_SPUTNIK

#include <sputnik/spmm/cuda_spmm.h>

#include "spmm/peers/rows_by_length.cuh"

namespace sparserepro {
namespace {

class SputnikCsr final : public RowsByLengthRun<float> {
 public:
  SputnikCsr(const SpmmProblem& problem, const Params&) : RowsByLengthRun(problem) {}

  void execute() override {
    const auto a = this->a();
    CUDA_CHECK(sputnik::CudaSpmm(a.rows, a.cols, static_cast<int>(k()), a.nnz, order(), a.values,
                                 a.row_ptr, a.col_idx, x(), y(), stream()));
  }
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_sputnik_csr() {
  return {.name = "sputnik_csr",
          .summary = "Sputnik's product in fp32",
          .source = sputnik_code.title() + ", CudaSpmm",
          .backend = Backend::cuda,
          .peer = true,
          .parameters = {},
          .unavailable = [] { return research_code_unavailable(sputnik_code); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            if (problem.value_type() != DataType::fp32) {
              return "Sputnik has fp32 and fp16; rode_csr has its copy in fp64";
            }
            return research_code_refusal(problem, "Sputnik", true);
          },
#ifdef SPARSEREPRO_HAS_SPUTNIK
          .prepare = [](const SpmmProblem& problem,
                        const Params& params) -> std::unique_ptr<Run<SpmmProblem>> {
            return std::make_unique<SputnikCsr>(problem, params);
          }
#endif
  };
}

}  // namespace sparserepro
