// Reads [signature] of kernel.toml. (internal to the room)
#pragma once

#include "kernel/definition.h"
#include "kernel/toml_document.h"

namespace hone::kernel {

// The kernel has its arguments and sizes already. Mistakes are added to the document's errors.
void read_signature(TomlDocument& document, const toml::table& table, Kernel& kernel);

} // namespace hone::kernel
