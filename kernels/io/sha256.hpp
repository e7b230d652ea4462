// SHA-256 of bytes in memory. Records identify their input by it.
#pragma once

#include <string>
#include <string_view>

namespace sparserepro {

/// The digest (FIPS 180-4) as 64 lower-case hexadecimal digits. Throws std::runtime_error if
/// OpenSSL lacks SHA-256.
std::string sha256_hex(std::string_view bytes);

}  // namespace sparserepro
