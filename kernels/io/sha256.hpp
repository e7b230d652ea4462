// SHA-256 of bytes in memory. Records identify their input by it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sparserepro {

/// The digest (FIPS 180-4) of bytes that come one part after the other. Constructor and functions
/// throw std::runtime_error if OpenSSL lacks SHA-256.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  /// 64 lower-case hexadecimal digits; ends the digest.
  std::string hex();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// The same of one part.
std::string sha256_hex(std::string_view bytes);

}  // namespace sparserepro
