// JSON schemas of the TOML files of this room, for editors. What they allow is what the readers accept; a test proves
// that the keys and the words agree.
#pragma once

#include "util/json_schema.h"

namespace hone::kernel {

Json kernel_file_schema(); // kernel.toml
Json launch_file_schema(); // launch.toml

} // namespace hone::kernel
