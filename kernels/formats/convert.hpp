// Elements of one integer type copied to another on the host.
#pragma once

#include <cstddef>

namespace sparserepro {

/// to[e] = from[e] for e < count, by so many threads.
template <class To, class From>
void convert(const From* from, std::size_t count, To* to, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t e = 0; e < count; ++e) {
    to[e] = static_cast<To>(from[e]);
  }
}

}  // namespace sparserepro
