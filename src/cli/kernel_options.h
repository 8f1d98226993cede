// The options that commands on a kernel share. (internal to the cli)
#pragma once

#include "app/workbench.h"
#include "cli/command_line.h"

namespace hone::cli {

enum class KernelGiven { as_argument, by_flag }; // `hone log KERNEL`, `hone run CANDIDATE --kernel KERNEL`

// Registers the kernel, --size and the settings that concern a kernel on `command`.
void add_kernel_options(CommandLine& line, CLI::App* command, KernelRequest& options,
                        KernelGiven given = KernelGiven::as_argument);

} // namespace hone::cli
