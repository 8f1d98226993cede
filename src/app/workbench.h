// What most use cases open first: the kernel, its backend, a gate, its workflow.
#pragma once

#include "app/context.h"
#include "execute/local_executor.h"

#include <memory>
#include <optional>
#include <string>

namespace hone::app {

// Which kernel, and on which sizes.
struct KernelRequest {
  std::string kernel = ".";       // folder, kernel.toml, or the name of a shipped kernel
  std::vector<std::string> sizes; // "m=1024,n=512" items; others stay as kernel.toml says
};

// Parses "m=1024,n=512" items into sizes.
Result<std::map<std::string, std::int64_t>> parse_sizes(const std::vector<std::string>& items);

struct Workbench {
  std::shared_ptr<const kernel::Kernel> kernel;
  const backend::Backend* backend = nullptr;
  record::Recipe recipe;
  fs::path state; // folder of the kernel's workflows
  std::uint64_t seed = 0;
};

Result<Workbench> open_workbench(const Context& context, const KernelRequest& request);

// Once per kernel: refuses one whose check does not hold (gate/lint.h). What a check that cannot tell right from wrong
// says about candidates is worth nothing.
Result<void> prove_check(const Workbench& bench, Context& context);
// Whether times will be measured. If not, ceilings that are not known yet are left alone: they take seconds.
enum class Measures { no, yes };
Result<gate::Gate> open_gate(const Workbench& bench, Context& context, const inputs::ForcedInputs& forced = {},
                             Measures measures = Measures::yes);
// An executor for a kernel whose check is proven.
Result<std::unique_ptr<execute::LocalExecutor>> open_executor(const Workbench& bench, Context& context,
                                                              const inputs::ForcedInputs& forced = {},
                                                              Measures measures = Measures::yes);
// Waits for another Hone that is at work on it, and says so; a stop request ends the waiting.
Result<store::Workflow> open_workflow(const Workbench& bench, const backend::DeviceInfo& device,
                                      const Context& context);
// The only or newest workflow of this kernel and backend, without probing a device. The error says how to start one.
Result<store::Workflow> open_existing_workflow(const Workbench& bench);
// The same one, to write to.
Result<store::Workflow> open_existing_to_write(const Workbench& bench, const Context& context);
// For those who may wait: says once whom they wait for, until they are asked to stop.
store::Workflow::Waiting waits_for_another(const Context& context);
// Warns of what of a workflow is damaged, and the way out; the rest is usable.
void warn_of_damage(const Context& context, const store::Workflow& workflow);

// Ceilings from the cache, measured and stored when absent or of another device.
Result<gate::Ceilings> ceilings_of(const Workbench& bench, Context& context);
// Raises the cached ceilings where this machine reaches more now, about 0.3 s. Nothing happens where there are none.
Result<void> refresh_ceilings(const Workbench& bench);

// Whether a name means a candidate folder: one with a slash does; another only where no checkpoint has it, so that a
// folder that happens to be called "best" hides nothing. `workflow` may be null.
bool names_folder(const std::string& name, const store::Workflow* workflow);
// The generated plain loops, at their defaults.
Result<record::Contender> naive_contender(const Workbench& bench);
// The checkpoints from the start of its path to the one with this name.
Result<std::vector<store::Checkpoint>> path_of(const store::Workflow& workflow, const std::string& name);
// A checkpoint's or candidate folder's contender. Names of checkpoints: id, prefix, branch, "best", "start".
Result<record::Contender> contender_named(const Workbench& bench, store::Workflow* workflow, const std::string& name);

} // namespace hone::app
