// A request as a person reads it. (internal to the model room)
#pragma once

#include "model/model.h"

#include <string>

namespace hone::model {

std::string text_of(const ModelRequest& request);

} // namespace hone::model
