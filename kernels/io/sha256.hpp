// SHA-256 of bytes in memory, which identifies an input in records.
#pragma once

#include <string>
#include <string_view>

namespace sparserepro {

/// The digest (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace sparserepro
