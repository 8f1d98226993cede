#include "util/hash.h"

#include <openssl/sha.h>

#include <array>

namespace hone {

std::string sha256(std::string_view bytes)
{
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  static constexpr char k_digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    out += k_digits[byte >> 4];
    out += k_digits[byte & 15];
  }
  return out;
}

std::string sha256(std::span<const std::byte> bytes)
{
  return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace hone
