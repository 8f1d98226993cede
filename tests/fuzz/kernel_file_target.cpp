// kernel.toml: whole files, as people and strangers write them.
#include "fuzz_target.h"
#include "kernel/kernel.h"

namespace hone::fuzz {

namespace {

std::vector<std::string> seeds()
{
  return files_named("kernels", "kernel.toml");
}

void run(std::string_view input)
{
  const Result<kernel::Kernel> kernel = kernel::parse_kernel(input, "kernel.toml");
  if (!kernel) {
    return check_error(kernel.error(), "kernel.toml");
  }
  const Result<kernel::Kernel> again = kernel::parse_kernel(input, "kernel.toml");
  if (!again || again->hash != kernel->hash) {
    promise_broken("one text, two kernels");
  }
  (void)kernel::classify(*kernel);
  (void)kernel::as_contraction(*kernel);
  (void)kernel::default_sizes(*kernel);
  for (const kernel::Sizes& sizes : kernel->timed) {
    (void)kernel::check_sizes(*kernel, sizes);
    for (const kernel::Argument& argument : kernel->arguments) {
      (void)kernel::elements_of(argument, sizes);
    }
    (void)kernel::work_of(*kernel, sizes);
  }
}

} // namespace

const Target& kernel_file_target()
{
  static const Target k_target = {"kernel-file", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
