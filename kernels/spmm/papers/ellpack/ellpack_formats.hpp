// ELLPACK from CSR, entries in the same order; preparation of the ELLPACK algorithms.
#pragma once

#include "formats/ellpack.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

Ellpack make_ellpack(const SpmmProblem& problem);
EllpackNoPadding make_ellpack_no_padding(const SpmmProblem& problem);

/// "" or why the padded arrays are too large.
std::string ellpack_refusal(const SpmmProblem& problem, const Params& params);

/// Bytes of all arrays.
std::int64_t stored_bytes(const Ellpack& a);
std::int64_t stored_bytes(const EllpackNoPadding& a);

}  // namespace sparserepro
