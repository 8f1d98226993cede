// The canonical form of a kernel, from which its hash is made. (internal to the room)
#pragma once

#include "kernel/definition.h"

namespace hone::kernel {

std::string canonical_text(const Kernel& kernel);

} // namespace hone::kernel
