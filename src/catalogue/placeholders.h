// What a draft leaves for its author to say, in brackets. (internal to the room)
#pragma once

#include "util/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::catalogue::placeholders {

constexpr std::string_view k_bottleneck = "[what it relieves: memory bandwidth, instruction count, ...]";
constexpr std::string_view k_parameter = "[what it is the number of]";
constexpr std::string_view k_steps =
  "[Say exactly what to change, step by step, for every size and for candidates that look a little different.";
constexpr std::string_view k_why = "[What is slow before, why it is faster after, when it does not help.]";
constexpr std::string_view k_snippet = "[Code as it looks afterwards, in the backend's language.]";
constexpr std::string_view k_pitfalls = "[What goes wrong in practice, and how it shows.]";
constexpr std::string_view k_check = "[What a right result looks like in the source, in the verdict and in the times.]";

// One mistake for each that still stands in the text; `origin` names it.
std::vector<Error> mistakes_for(std::string_view text, const std::string& origin);

} // namespace hone::catalogue::placeholders
