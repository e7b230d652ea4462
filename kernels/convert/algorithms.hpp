// Table entries of the conversion algorithms: one function per file, called by registry.cpp alone.
#pragma once

#include "convert/convert.hpp"

namespace sparserepro {

Algorithm<ConvertProblem> convert_coo_to_csr_serial();
Algorithm<ConvertProblem> convert_coo_to_csr_parallel();
Algorithm<ConvertProblem> convert_coo_to_csr_parallel_optimized();
Algorithm<ConvertProblem> convert_coo_to_csr_linear();
Algorithm<ConvertProblem> convert_coo_to_ellpack_serial();
Algorithm<ConvertProblem> convert_coo_to_ellpack_parallel();
Algorithm<ConvertProblem> convert_coo_to_ellpack_linear();
Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_serial();
Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_parallel();
Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_parallel_optimized();
Algorithm<ConvertProblem> convert_coo_to_ellpack_no_zero_padding_linear();

}  // namespace sparserepro
