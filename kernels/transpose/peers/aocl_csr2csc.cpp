// AOCL-Sparse's conversion of CSR to CSC into arrays of the caller, on one thread. The CSC arrays
// of A are the CSR arrays of A^T.
#include "peers/aocl.hpp"
#include "peers/available.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"
#include "transpose/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_AOCL

namespace sparserepro {
namespace {

template <class Value>
class AoclCsr2csc final : public HostTransposeRun<std::int32_t, Value> {
 public:
  AoclCsr2csc(const Csr<std::int32_t, Value>& a, const Params&)
      : HostTransposeRun<std::int32_t, Value>(a) {}

  void execute() override {
    const auto a = this->a_.view();
    auto& out = this->out_;
    if constexpr (std::is_same_v<Value, double>) {
      AOCL_CHECK(aoclsparse_dcsr2csc(a.rows, a.cols, a.nnz, general_.get(),
                                     aoclsparse_index_base_zero, a.row_ptr, a.col_idx, a.values,
                                     out.col_idx.data(), out.row_ptr.data(), out.values.data()));
    } else {
      AOCL_CHECK(aoclsparse_scsr2csc(a.rows, a.cols, a.nnz, general_.get(),
                                     aoclsparse_index_base_zero, a.row_ptr, a.col_idx, a.values,
                                     out.col_idx.data(), out.row_ptr.data(), out.values.data()));
    }
  }
  /// Memory that the library allocates during the conversion is unknown and not counted.
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  AoclDescription general_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_aocl_csr2csc() {
  return {.name = "aocl_csr2csc",
          .summary = "AOCL-Sparse's conversion of CSR to CSC",
          .source = aocl_library.title() + ", aoclsparse_csr2csc",
          .backend = Backend::serial,
          .peer = true,
          .unavailable = [] { return aocl_library.unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
            const Shape shape = problem.shape();
            if (shape.rows == 0 || shape.cols == 0 || shape.stored == 0) {
              return "AOCL-Sparse has no matrix without rows, columns or entries";
            }
            return narrow_refusal(problem, "AOCL-Sparse");
          },
#ifdef SPARSEREPRO_HAS_AOCL
          .prepare = prepare_narrow_transpose<AoclCsr2csc>
#endif
  };
}

}  // namespace sparserepro
