// COO to padded ELLPACK, one thread; each row reads all entries twice, to find the width and to
// copy its entries. O(M nnz) work.
// Source: coo_to_ellpack_serial of the SpMM seed's code.
#include "convert/algorithms.hpp"
#include "convert/host_run.hpp"
#include "convert/papers/row_scan.hpp"
#include "convert/policy.hpp"

namespace sparserepro {
namespace {

class EllpackSerial final : public HostConvertRun<Ellpack> {
 public:
  using HostConvertRun::HostConvertRun;

  void execute() override {
    index_t width = 0;
    for (index_t i = 0; i < coo_.rows; ++i) {
      width = std::max(width, count_row(coo_, i));
    }
    out_.width = width;
    for (index_t i = 0; i < coo_.rows; ++i) {
      const std::int64_t begin = std::int64_t{i} * width;
      out_.row_length[i] =
          gather_row(coo_, i, out_.col_idx.data() + begin, out_.values.data() + begin);
      pad_row(out_, i);
    }
  }
};

}  // namespace

Algorithm<ConvertProblem> convert_coo_to_ellpack_serial() {
  return {.name = "coo_to_ellpack_serial",
          .summary = "padded; each row scans all entries, twice",
          .source = "SpMM seed, code of coo_to_ellpack_serial",
          .backend = Backend::serial,
          .refusal = quadratic_padded_refusal,
          .prepare = make_run<EllpackSerial, ConvertProblem>};
}

}  // namespace sparserepro
