// Random bytes at memory speed, for poison and canaries. (internal to the gate)
#pragma once

#include "util/streaming.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::gate {

// Overwrites with random bits.
void write_noise(std::span<std::byte> bytes, std::uint64_t key, Store store);

// The canary that belongs at these bytes of a band. Byte i depends on key and i only.
void write_canary(std::span<std::byte> band, std::uint64_t key);
// Position of the first (or, looking from behind, the last) byte that differs from the canary; band.size() when whole.
std::size_t first_damage(std::span<const std::byte> band, std::uint64_t key);
std::size_t last_damage(std::span<const std::byte> band, std::uint64_t key);

} // namespace hone::gate
