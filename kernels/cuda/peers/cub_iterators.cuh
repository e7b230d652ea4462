// Output iterators for CUB's calls, under the names that each version of CCCL wants: Thrust's until
// 3.0, later those of <cuda/iterator>.
#pragma once

#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#else
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#endif

namespace sparserepro {

/// Element i is written by function(i, value).
template <class Function>
auto tabulate_output(Function function) {
#if __has_include(<cuda/iterator>)
  return cuda::make_tabulate_output_iterator(function);
#else
  return thrust::make_tabulate_output_iterator(function);
#endif
}

/// out[i] = function(value).
template <class Output, class Function>
auto transform_output(Output out, Function function) {
#if __has_include(<cuda/iterator>)
  return cuda::make_transform_output_iterator(out, function);
#else
  return thrust::make_transform_output_iterator(out, function);
#endif
}

}  // namespace sparserepro
