// What the peers that wrap research codes on the device share: 32-bit indices, and byte offsets
// into X and Y of 32 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "cuda/device_info.hpp"
#include "peers/available.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// "" or why the code cannot run: the build lacks it, or there is no device.
inline std::string research_code_unavailable(const PeerLibrary& code) {
  const std::string lacking = code.unavailable();
  return lacking.empty() ? cuda_unavailable() : lacking;
}

/// "" or why a code whose row pointers and offsets have 32 bits cannot multiply: offsets into X and
/// Y count elements or, if `bytes`, bytes.
inline std::string research_code_refusal(const SpmmProblem& problem, const std::string& code,
                                         bool bytes) {
  const Shape& shape = problem.shape();
  if (std::holds_alternative<Csr<std::int64_t, double>>(problem.matrix())) {
    return code + " has row pointers of 32 bits alone";
  }
  const std::int64_t unit = !bytes ? 1 : problem.value_type() == DataType::fp32 ? 4 : 8;
  if (std::max(shape.rows, shape.cols) * problem.k() * unit > INT32_MAX) {
    return code + " has 32-bit offsets into X and Y";
  }
  return shape.rows == 0 || shape.stored == 0 || problem.k() == 0
             ? code + " has no launch for a matrix without rows or entries"
             : "";
}

}  // namespace sparserepro
