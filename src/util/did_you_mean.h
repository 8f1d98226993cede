// The hint after a word that is not known. A header of its own: few need it.
#pragma once

#include "util/text.h"

#include <span>
#include <string>
#include <string_view>

namespace hone {

// "did you mean 'NEAREST'?", or `otherwise` where no name is near enough to be meant.
std::string did_you_mean(std::string_view word, std::span<const std::string> names, std::string_view otherwise = {});

} // namespace hone
