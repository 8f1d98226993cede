// The assembly that a module keeps of what it was made of. (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <string_view>

namespace hone::cpu {

void keep_assembly(Module& module, std::string_view assembly);
// Errors: what is kept is damaged, or longer than a compiler may write.
Result<std::string> assembly_of(const Module& module);

} // namespace hone::cpu
