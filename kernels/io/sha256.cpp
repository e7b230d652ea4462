#include "io/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace sparserepro {
namespace {

EVP_MD_CTX* state(const auto& context) {
  return static_cast<EVP_MD_CTX*>(context.get());
}

void require(int status) {
  if (status != 1) {
    throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
  }
}

}  // namespace

void Sha256::Free::operator()(void* context) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ ? EVP_DigestInit_ex(state(context_), EVP_sha256(), nullptr) : 0);
}

void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(state(context_), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(state(context_), digest.data(), &length));
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += digits[digest[i] >> 4];
    hex += digits[digest[i] & 15];
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace sparserepro
