// Memory written around the caches, and lines dropped from them: a cold regime stays cold.
#pragma once

#include <cstddef>
#include <span>

namespace hone {

// How bytes get to memory: through the caches, or around them (non-temporal stores).
enum class Store { cached, streaming };

// Copies without leaving the lines in the cache.
void copy_streaming(std::span<std::byte> to, std::span<const std::byte> from);
// Writes the lines back and drops them from the caches.
void drop_from_caches(std::span<const std::byte> bytes);

} // namespace hone
