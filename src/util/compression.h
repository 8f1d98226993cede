// zstd, for what is kept in numbers.
#pragma once

#include "util/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

std::string compress(std::string_view bytes);
// An error where the bytes are no complete zstd frame, or hold more than `most` bytes. `origin` names them.
Result<std::string> decompress(std::string_view bytes, std::size_t most, const std::string& origin);

} // namespace hone
