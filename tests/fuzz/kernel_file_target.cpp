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
  const Result<Kernel> kernel = parse_kernel(input, "kernel.toml");
  if (!kernel) {
    return check_error(kernel.error(), "kernel.toml");
  }
  const Result<Kernel> again = parse_kernel(input, "kernel.toml");
  if (!again || again->hash != kernel->hash) {
    promise_broken("one text, two kernels");
  }
  (void)classify(*kernel);
  (void)as_contraction(*kernel);
  (void)default_sizes(*kernel);
  for (const Sizes& sizes : kernel->timed) {
    (void)check_sizes(*kernel, sizes);
    for (const Argument& argument : kernel->arguments) {
      (void)elements_of(argument, sizes);
    }
    (void)work_of(*kernel, sizes);
  }
}

} // namespace

const Target& kernel_file_target()
{
  static const Target k_target = {"kernel-file", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
