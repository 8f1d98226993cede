// Hone's reference of one kernel, evaluated on inputs that somebody else drew, so that other implementations of the
// same operator can be compared with it.
//
// In the folder lie NAME.bin for every argument that is read: its elements as the kernel declares them, row-major,
// little-endian (bool: a byte per element). Written are NAME.out.bin and NAME.bound.bin for every output: values and
// error bounds in f64.
#include "kernel/kernel.h"
#include "util/util.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace hone {

namespace {

struct Options {
  std::string kernel;
  std::string folder;
  std::vector<std::pair<std::string, std::int64_t>> sizes; // those that differ from the kernel's first timed set
};

Result<kernel::Sizes> sizes_of(const kernel::Kernel& kernel, const Options& options)
{
  kernel::Sizes sizes = kernel.timed.front();
  for (const auto& [name, value] : options.sizes) {
    if (!sizes.contains(name)) {
      return fail(fmt::format("the kernel '{}' has no size '{}'", kernel.name, name),
                  fmt::format("its sizes: {}", kernel::to_text(sizes)));
    }
    sizes[name] = value;
  }
  return sizes;
}

Result<std::string> read_argument(const kernel::Argument& argument, const kernel::Sizes& sizes, const fs::path& folder)
{
  const fs::path file = folder / (argument.name + ".bin");
  HONE_TRY(std::string bytes, read_file(file));
  HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
  const std::size_t expected = static_cast<std::size_t>(count) * kernel::size_of(argument.type);
  if (bytes.size() != expected) {
    return fail(fmt::format("'{}' holds {} bytes; expected {} ({} elements of {})", file.string(), bytes.size(),
                            expected, count, kernel::name_of(argument.type)),
                "write the elements as the kernel declares them, without a header");
  }
  return bytes;
}

Result<void> write_numbers(const fs::path& file, const LargeVector<double>& numbers)
{
  return write_file(file, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
}

Result<void> run(const Options& options)
{
  HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(options.kernel));
  HONE_TRY(const kernel::Sizes sizes, sizes_of(kernel, options));
  const fs::path folder = options.folder;
  std::vector<std::string> inputs;
  for (const kernel::Argument& argument : kernel.arguments) {
    std::string bytes;
    if (argument.role != kernel::Role::output) {
      HONE_TRY(bytes, read_argument(argument, sizes, folder));
    }
    inputs.push_back(std::move(bytes));
  }
  std::vector<const std::byte*> pointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool read = kernel.arguments[i].role != kernel::Role::output;
    pointers.push_back(read ? reinterpret_cast<const std::byte*>(inputs[i].data()) : nullptr);
  }
  HONE_TRY(const kernel::Reference reference, kernel::Reference::build(kernel, cache_folder()));
  HONE_TRY(const std::vector<kernel::ReferenceOutput> results, reference.evaluate(sizes, pointers));
  const std::vector<std::size_t> outputs = kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = kernel.arguments[outputs[i]].name;
    HONE_CHECK(write_numbers(folder / (name + ".out.bin"), results[i].values));
    HONE_CHECK(write_numbers(folder / (name + ".bound.bin"), results[i].bounds));
  }
  return {};
}

} // namespace

} // namespace hone

int main(int argc, char** argv)
{
  hone::Options options;
  CLI::App app("Writes the values and error bounds of a kernel's reference for given inputs");
  app.add_option("kernel", options.kernel, "kernel.toml, or the folder that holds it")->required();
  app.add_option("folder", options.folder, "where NAME.bin of every input lies and the results go")->required();
  app.add_option("--size", options.sizes, "a size other than the first timed one: --size m 512");
  CLI11_PARSE(app, argc, argv);
  if (const auto done = hone::run(options); !done) {
    fmt::print(stderr, "reference_values: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
