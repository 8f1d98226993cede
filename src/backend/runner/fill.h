// Fills of launch plans in plain memory.
#pragma once

#include "backend/runner_abi.h"

#include <cstdint>

namespace hone::backend::runner {

// `count` elements from `first` on become the pattern.
void fill_elements(void* memory, const Fill& fill, std::uint64_t first, std::uint64_t count);

// Fills a buffer, or `count` elements of it from `first` on, as Fill says; for platforms whose buffers are plain
// memory.
void fill_buffer(const Buffer& buffer, const Fill& fill);
void fill_elements(const Buffer& buffer, const Fill& fill, std::uint64_t first, std::uint64_t count);

} // namespace hone::backend::runner
