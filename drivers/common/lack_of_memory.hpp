// What becomes of a cell for which memory is not enough.
#pragma once

#include <new>
#include <string>

#include "generate/memory_guard.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro {

/// Does a part of a cell's measurement. "", or why there is no memory for it.
template <class Work>
std::string lack_of_memory(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc& error) {
    return "not enough memory beside the other cells of this instance" + memory_words(error);
  } catch (const DeviceMemoryError&) {
    return "not enough memory of the device beside the other cells of this instance";
  }
  return "";
}

}  // namespace sparserepro
