#include "util/change_digest.h"

#include "util/hash.h"
#include "util/random.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstdint>
#include <memory>

namespace hone {
namespace {

constexpr std::size_t k_block = 16; // bytes of a key, and of a digest
constexpr std::size_t k_nonce = 12;

struct Release {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MAC_CTX, Release>;

// Null where the library has no GMAC. One nonce for all is enough: whoever might learn from two digests sees none.
EVP_MAC_CTX* keyed_context()
{
  static const Context keyed = [] {
    const std::unique_ptr<EVP_MAC, Release> mac(EVP_MAC_fetch(nullptr, "GMAC", nullptr));
    Context context(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
    char cipher[] = "AES-128-GCM";
    std::array<std::uint64_t, k_block / sizeof(std::uint64_t)> key{fresh_seed(), fresh_seed()};
    std::array<unsigned char, k_nonce> nonce{};
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
                                     OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce.data(), nonce.size()),
                                     OSSL_PARAM_construct_end()};
    const bool ready =
      context
      && EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(key.data()), k_block, parameters) == 1;
    return ready ? std::move(context) : nullptr;
  }();
  return keyed.get();
}

// "" where it cannot be had.
std::string gmac_of(std::span<const std::span<const std::byte>> parts)
{
  EVP_MAC_CTX* const keyed = keyed_context();
  const Context context(keyed != nullptr ? EVP_MAC_CTX_dup(keyed) : nullptr);
  bool fine = context != nullptr;
  for (const std::span<const std::byte> part : parts) {
    fine = fine && EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(part.data()), part.size()) == 1;
  }
  std::array<unsigned char, k_block> digest{};
  std::size_t length = 0;
  fine = fine && EVP_MAC_final(context.get(), digest.data(), &length, digest.size()) == 1;
  return fine ? std::string(reinterpret_cast<const char*>(digest.data()), length) : "";
}

} // namespace

std::string change_digest(std::span<const std::span<const std::byte>> parts)
{
  if (std::string digest = gmac_of(parts); !digest.empty()) {
    return digest;
  }
  std::string digests;
  for (const std::span<const std::byte> part : parts) {
    digests += sha256(part);
  }
  return digests;
}

} // namespace hone
