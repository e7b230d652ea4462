#include "convert/policy.hpp"

#include <cstdio>

namespace sparserepro {
namespace {

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

std::string quadratic_refusal(const ConvertProblem& problem, const Params&) {
  const Shape shape = problem.shape();
  const double work = static_cast<double>(shape.rows) * static_cast<double>(shape.stored);
  if (work <= max_quadratic_work) {
    return "";
  }
  return "scans all entries once per row: M*nz = " + scientific(work) +
         " comparisons; the cap is " + scientific(max_quadratic_work);
}

std::string padded_refusal(const ConvertProblem& problem, const Params&) {
  return padding_refusal(problem.shape().rows, problem.longest_row(), problem.shape().stored);
}

std::string quadratic_padded_refusal(const ConvertProblem& problem, const Params& params) {
  const std::string padded = padded_refusal(problem, params);
  return padded.empty() ? quadratic_refusal(problem, params) : padded;
}

std::string cursor_refusal(const ConvertProblem& problem, const Params& params) {
  const std::int64_t rows = problem.shape().rows;
  const std::int64_t threads = params.threads();
  const std::int64_t bytes = rows * threads * static_cast<std::int64_t>(sizeof(std::int64_t));
  if (bytes <= max_cursor_bytes) {
    return "";
  }
  return "cursors of " + std::to_string(threads) + " threads for " + std::to_string(rows) +
         " rows need " + std::to_string(bytes / (1 << 20)) + " MiB; the limit is " +
         std::to_string(max_cursor_bytes / (1 << 20)) + " MiB";
}

std::string cursor_padded_refusal(const ConvertProblem& problem, const Params& params) {
  const std::string padded = padded_refusal(problem, params);
  return padded.empty() ? cursor_refusal(problem, params) : padded;
}

}  // namespace sparserepro
