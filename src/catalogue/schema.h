// The JSON schema of a transformation's TOML head, for editors.
#pragma once

#include "util/json_schema.h"

namespace hone::catalogue {

Json transformation_head_schema();

} // namespace hone::catalogue
