// The fixed part of every generated reference: numbers with error bounds, and sums of products. (internal)
#pragma once

#include <string_view>

namespace hone::kernel {

std::string_view reference_prelude();     // interface, numbers, functions, reductions
std::string_view reference_contraction(); // the tiled double sum of products

} // namespace hone::kernel
