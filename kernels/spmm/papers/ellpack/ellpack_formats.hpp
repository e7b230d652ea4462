// ELLPACK from CSR, with the entries of each row in the same order, for `prepare` of the ELLPACK
// algorithms.
#pragma once

#include "formats/ellpack.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

Ellpack make_ellpack(const SpmmProblem& problem);
EllpackNoPadding make_ellpack_no_padding(const SpmmProblem& problem);

/// "" or, if the padded arrays are too large, a message that says so.
std::string ellpack_refusal(const SpmmProblem& problem, const Params& params);

/// Bytes of all arrays of the matrix.
std::int64_t stored_bytes(const Ellpack& a);
std::int64_t stored_bytes(const EllpackNoPadding& a);

}  // namespace sparserepro
