#include "spmm/cuda_csr_balanced/method.cuh"

namespace sparserepro::device {

template std::unique_ptr<SpmmPlan::Method> make_method<Bfloat>(const CsrInput&, std::int64_t,
                                                               const SpmmOptions&);

}  // namespace sparserepro::device
