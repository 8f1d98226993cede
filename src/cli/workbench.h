// What most commands open first: the kernel, its backend, a gate, its workflow. (internal to the cli)
#pragma once

#include "cli/command_line.h"
#include "policy/policy.h"

#include <memory>
#include <optional>
#include <string>

namespace hone::cli {

// The arguments that commands on a kernel share.
struct KernelOptions {
  std::string kernel = ".";
  std::vector<std::string> sizes;
};

enum class KernelGiven { as_argument, by_flag }; // `hone log KERNEL`, `hone run CANDIDATE --kernel KERNEL`

// Registers the kernel, --size and the settings that concern a kernel on `command`.
void add_kernel_options(CommandLine& line, CLI::App* command, KernelOptions& options,
                        KernelGiven given = KernelGiven::as_argument);

struct Workbench {
  std::shared_ptr<const Kernel> kernel;
  const Backend* backend = nullptr;
  Recipe recipe;
  fs::path state; // folder of the kernel's workflows
  std::uint64_t seed = 0;
};

// A kernel folder or file, or the name of a shipped kernel.
Result<Workbench> open_workbench(const Context& context, const KernelOptions& options);

// Once per kernel: refuses one whose check does not hold (gate/lint.h). What a check that cannot tell right from wrong
// says about candidates is worth nothing.
Result<void> prove_check(const Workbench& bench, Context& context);
// An executor for a kernel whose check is proven.
Result<std::unique_ptr<LocalExecutor>> open_executor(const Workbench& bench, Context& context,
                                                     const ForcedInputs& forced = {});
// Waits for another Hone that is at work on it, and says so; Ctrl-C ends the waiting.
Result<Workflow> open_workflow(const Workbench& bench, const DeviceInfo& device, const Context& context);
// The only or newest workflow of this kernel and backend, without probing a device. The error says how to start one.
Result<Workflow> open_existing_workflow(const Workbench& bench);
// The same one, to write to.
Result<Workflow> open_existing_to_write(const Workbench& bench, const Context& context);
// For those who may wait: says once whom they wait for, until they are asked to stop.
Workflow::Waiting waits_for_another(const Context& context);
// Says on stderr what of a workflow is damaged, and the way out; the rest is usable.
void warn_of_damage(const Context& context, const Workflow& workflow);

// Ceilings from the cache, measured and stored when absent or of another device.
Result<Ceilings> ceilings_of(const Workbench& bench, Context& context);

// Whether a name means a candidate folder: one with a slash does; another only where no checkpoint has it, so that a
// folder that happens to be called "best" hides nothing. `workflow` may be null.
bool names_folder(const std::string& name, const Workflow* workflow);
// A checkpoint's or candidate folder's contender. Names of checkpoints: id, prefix, branch, "best", "start".
Result<Contender> contender_named(const Workbench& bench, Workflow* workflow, const std::string& name);

} // namespace hone::cli
