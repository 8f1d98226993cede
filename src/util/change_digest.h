// Tells whether bytes changed, about five times as fast as SHA-256: GMAC (NIST SP 800-38D) under a key of this process
// that nobody else knows. Outside of the process the digests mean nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hone {

// The same for the same bytes; for others the same once in 2^100, whoever chose them. Of all parts, one behind the
// other: where one ends and the next begins does not count.
std::string change_digest(std::span<const std::span<const std::byte>> parts);

} // namespace hone
