// Functions for devices with work-items as parts of a candidate: text, parameters, launches. (internal to the room)
#pragma once

#include "lower/device/program.h"
#include "lower/statement_lowering.h"

#include <string>
#include <vector>

namespace hone::lower::device {

// Appends the function and its launch. Its parameters are what its body names: tensors in the kernel's order, scratch,
// `extras`, sizes.
void add_launch(const kernel::Kernel& kernel, const Dialect& dialect, Function function, std::vector<std::string> grid,
                std::vector<std::string> block, const std::vector<ExtraBuffer>& extras, LoweredProgram& out);

// One work-item per element of the statement's target; appends scratch for an intermediate.
Result<void> lower_elements_of(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                               const std::string& name, LoweredProgram& out);

// What the dialect's functions need in front of them, as far as they use it.
ProgramBlock prelude_for(const Dialect& dialect, const ProgramBlock& functions);

} // namespace hone::lower::device
