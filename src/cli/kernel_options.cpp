#include "cli/kernel_options.h"

#include "app/kernel_path.h"

namespace hone::cli {

void add_kernel_options(CommandLine& line, CLI::App* command, KernelRequest& options, KernelGiven given)
{
  const auto set_kernel = [&line, &options](const std::string& value) {
    options.kernel = value;
    line.near() = folder_of(value).string();
  };
  const char* name = given == KernelGiven::as_argument ? "KERNEL" : "--kernel";
  command->add_option_function<std::string>(name, set_kernel, "kernel folder, kernel.toml, or a shipped kernel's name")
    ->required();
  command->add_option("--size", options.sizes, "a size other than kernel.toml's, e.g. --size m=512");
  line.add_setting(command, "backend", "cpu, opencl, hlsl, cuda or hip");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
  line.add_setting(command, "threads", "threads that the groups of a launch run on, a CPU each (1; cpu backend)");
  line.add_setting(command, "regime", "cold or hot: which one decides");
  line.add_setting(command, "seed", "seed of inputs and hidden sizes; 0: a fresh one");
}

} // namespace hone::cli
