// The assembly text of a module's code, stored in the module. (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <string_view>

namespace hone::backend::cpu {

void store_assembly(Module& module, std::string_view assembly);
// Errors: the stored text is damaged, or longer than a compiler may write.
Result<std::string> stored_assembly(const Module& module);

} // namespace hone::backend::cpu
