#include "backend/cpu/watch/call_files.h"

#include "backend/cpu/probe.h"
#include "backend/cpu/watch/sanitizer_hooks.h"
#include "backend/cpu/watch/watched_memory.h"
#include "backend/launches_to_run.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::backend::cpu {
namespace {

void add_buffer(std::map<std::string, std::string>& files, std::size_t number, const BufferFacts& facts,
                std::span<const std::byte> contents)
{
  files["buffers.txt"] += fmt::format("{} {} {} {} {}\n", facts.bytes, facts.element_bytes, int{facts.writable},
                                      int{facts.empty}, facts.name);
  if (!facts.empty) {
    files[fmt::format("buffer{}", number)].assign(reinterpret_cast<const char*>(contents.data()), contents.size());
  }
}

} // namespace

std::string inspector_program()
{
  return libexec_folder() / "hone-cpu-inspector";
}

std::string missing_inspector()
{
  std::error_code ignored;
  const std::string program = inspector_program();
  return fs::exists(program, ignored) ? "" : fmt::format("{} is missing: build or install Hone again", program);
}

std::vector<std::string> readable_to_run_inspector()
{
  std::vector<std::string> paths{inspector_program()};
  if (const fs::path libraries = library_folder(); !libraries.empty()) {
    paths.push_back(libraries);
  }
  return paths;
}

// Without -fsanitize, which would link the sanitizer's runtime: the program defines the hooks.
std::vector<std::string> watched_link_command(const char* object, const char* library)
{
  return {k_compiler, "-shared", "-Wl,-Bsymbolic", object, k_wrap_option, "-o", library, "-lm"};
}

std::map<std::string, std::string> call_files(const InspectionInput& input)
{
  const kernel::Kernel& kernel = input.build.kernel;
  const kernel::ResolvedPlan& plan = input.build.plan;
  std::map<std::string, std::string> files = input.built;
  files["launches.txt"] = to_text(launches_to_run(kernel, plan));
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const kernel::Argument& argument = kernel.arguments[i];
    const bool writable = kernel::is_written(argument.role) && !plan.prepares;
    const bool empty = writable && argument.role == kernel::Role::output;
    const std::span<const std::byte> bytes = input.arguments.at(i);
    add_buffer(files, i, {bytes.size(), kernel::size_of(argument.type), writable, empty, argument.name}, bytes);
  }
  for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
    const kernel::ResolvedScratch& scratch = plan.scratch[i];
    const bool empty = plan.writes(scratch);
    add_buffer(files, kernel.arguments.size() + i,
               {scratch.bytes(), kernel::size_of(scratch.type), empty, empty, scratch.name}, input.scratch.at(i));
  }
  return files;
}

} // namespace hone::backend::cpu
