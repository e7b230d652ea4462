// What the conversions refuse, and why.
#pragma once

#include <cstdint>
#include <string>

#include "convert/convert.hpp"

namespace sparserepro {

/// Cap on M nnz for the methods that scan all entries once per row: one to two seconds per scan on
/// one core, and a cell is executed some twenty times. ML_Laplace would need 10^13 comparisons.
inline constexpr double max_quadratic_work = 2e9;

/// Bytes that the cursors of the linear methods, one per thread and row, may take.
inline constexpr std::int64_t max_cursor_bytes = std::int64_t{4} << 30;

/// "" or why M nnz comparisons are too many.
std::string quadratic_refusal(const ConvertProblem& problem, const Params& params);

/// "" or why the padded arrays are too large.
std::string padded_refusal(const ConvertProblem& problem, const Params& params);

/// Of a method that is quadratic and pads.
std::string quadratic_padded_refusal(const ConvertProblem& problem, const Params& params);

/// "" or why the linear methods' cursors are too many.
std::string cursor_refusal(const ConvertProblem& problem, const Params& params);

/// Of a linear method that pads.
std::string cursor_padded_refusal(const ConvertProblem& problem, const Params& params);

}  // namespace sparserepro
