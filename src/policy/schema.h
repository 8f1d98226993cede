// The JSON schema of step lists (recipes/*.toml), for editors.
#pragma once

#include "util/json_schema.h"

namespace hone::policy {

Json step_list_schema();

} // namespace hone::policy
