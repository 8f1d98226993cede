// A request as a person reads it. (internal to the model room)
#pragma once

#include "llm/llm.h"

#include <string>

namespace hone::llm {

std::string text_of(const ModelRequest& request);

} // namespace hone::llm
