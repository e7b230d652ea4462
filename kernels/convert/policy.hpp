// Limits of the conversions and the reasons of refusals.
#pragma once

#include <cstdint>
#include <string>

#include "convert/convert.hpp"

namespace sparserepro {

/// Largest M nnz for the methods that search all entries once a row: one to two seconds an
/// execution on one core, about twenty executions a cell. ML_Laplace would need 10^13 comparisons.
inline constexpr double max_quadratic_work = 2e9;

/// Largest size in bytes of the cursors of the linear methods, one for each thread and row.
inline constexpr std::int64_t max_cursor_bytes = std::int64_t{4} << 30;

/// "" or, if M nnz exceeds max_quadratic_work, a message that says so.
std::string quadratic_refusal(const ConvertProblem& problem, const Params& params);

/// "" or, if the padded arrays are too large, a message that says so.
std::string padded_refusal(const ConvertProblem& problem, const Params& params);

/// padded_refusal, then quadratic_refusal.
std::string quadratic_padded_refusal(const ConvertProblem& problem, const Params& params);

/// "" or, if the cursors exceed max_cursor_bytes, a message that says so.
std::string cursor_refusal(const ConvertProblem& problem, const Params& params);

/// padded_refusal, then cursor_refusal.
std::string cursor_padded_refusal(const ConvertProblem& problem, const Params& params);

}  // namespace sparserepro
