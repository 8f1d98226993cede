#include "packed_case.h"

#include "backend/fill_pattern.h"
#include "emulated_plan.h"
#include "util/util.h"
#include "values.h"

#include <fmt/format.h>

namespace hone::gpu_pack {
namespace {

std::string buffer_text(const kernel::ResolvedArgument& argument)
{
  using Kind = kernel::ResolvedArgument::Kind;
  return argument.kind == Kind::integer ? fmt::format("integer {}", argument.integer)
                                        : fmt::format("{} {}",
                                                      argument.kind == Kind::tensor    ? "tensor"
                                                      : argument.kind == Kind::scratch ? "scratch"
                                                                                       : "map",
                                                      argument.position);
}

void append_launch(std::string& out, const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan,
                   const kernel::ResolvedLaunch& launch)
{
  for (const kernel::ResolvedFill& fill : launch.fills) {
    const bool scratch = fill.buffer.kind == kernel::ResolvedArgument::Kind::scratch;
    const kernel::DataType type =
      scratch ? plan.scratch[fill.buffer.position].type : kernel.arguments[fill.buffer.position].type;
    out += fmt::format("fill {} {} {}\n", buffer_text(fill.buffer), kernel::size_of(type),
                       backend::fill_pattern(fill.value, type));
  }
  out += fmt::format("launch {} {} {} {} {} {} {} {}\n", launch.kernel, launch.grid[0], launch.grid[1], launch.grid[2],
                     launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes);
  for (const kernel::ResolvedArgument& argument : launch.args) {
    out += fmt::format("argument {}\n", buffer_text(argument));
  }
}

std::string sizes_name(const kernel::Sizes& sizes)
{
  std::string out;
  for (const auto& [name, value] : sizes) {
    out += fmt::format("{}{}{}", out.empty() ? "" : "-", name, value);
  }
  return out;
}

} // namespace

Result<std::string> case_text(const Build& build, const char* purpose, const kernel::Sizes& sizes,
                              const kernel::PlanScope& facts)
{
  const kernel::Kernel& kernel = build.subject->kernel;
  HONE_TRY(const kernel::ResolvedPlan plan, kernel::resolve_plan(kernel, build.candidate, sizes, build.point, facts));
  std::string out =
    fmt::format("case {} {} {}\nsteps {}\npoint {}\nmodule {}\nresources {} {} {}\n", purpose, kernel.name, build.name,
                join(build.steps, " "), kernel::to_text(build.point), build.name, build.resources.registers,
                build.resources.spilled_bytes, build.resources.local_bytes);
  if (build.subject->product != nullptr) {
    const auto at = [&](const char* name) { return sizes.at(name); };
    out += fmt::format("product {} {} {} {} {}\n", at("m"), at("n"), at("k"),
                       static_cast<int>(build.subject->product->a_transposed),
                       static_cast<int>(build.subject->product->b_transposed));
  } else {
    out += fmt::format("expect {}-{}.bin {}\n", kernel.name, sizes_name(sizes), sizes_name(sizes));
  }
  for (const kernel::Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
    out += fmt::format("tensor {} {} {}\n", kernel::name_of(argument.type), count,
                       kernel::is_written(argument.role) ? "output" : "input");
  }
  for (const kernel::ResolvedScratch& one : plan.scratch) {
    out += fmt::format("scratch {}\n", one.bytes());
  }
  for (const kernel::ResolvedMap& map : plan.maps) {
    const bool scratch = map.tensor.kind == kernel::ResolvedArgument::Kind::scratch;
    const kernel::DataType type =
      scratch ? plan.scratch[map.tensor.position].type : kernel.arguments[map.tensor.position].type;
    out += fmt::format("map {} {} {} {} {}", buffer_text(map.tensor), backend::tensor_map_type(type),
                       kernel::size_of(type), map.swizzle, map.sizes.size());
    for (const std::int64_t size : map.sizes) {
      out += fmt::format(" {}", size);
    }
    for (const std::int64_t size : map.box) {
      out += fmt::format(" {}", size);
    }
    out += '\n';
  }
  for (const kernel::ResolvedLaunch& launch : plan.preparation) {
    append_launch(out, kernel, plan, launch);
  }
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    append_launch(out, kernel, plan, launch);
  }
  return out + "end\n";
}

Result<void> write_expected(const Subject& subject, const fs::path& folder, const fs::path& cache)
{
  HONE_TRY(const kernel::Reference reference, kernel::Reference::build(subject.kernel, cache));
  for (const kernel::Sizes& sizes : subject.sizes) {
    std::vector<std::vector<std::byte>> inputs;
    std::vector<const std::byte*> pointers;
    for (std::size_t t = 0; t < subject.kernel.arguments.size(); ++t) {
      const kernel::Argument& argument = subject.kernel.arguments[t];
      HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
      const std::size_t each = kernel::size_of(argument.type);
      std::vector<std::byte>& bytes = inputs.emplace_back(static_cast<std::size_t>(count) * each);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        emulated::set_value(bytes.data() + i * each, argument.type, gpu_bench::few_bits(t, i));
      }
    }
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      pointers.push_back(subject.kernel.arguments[t].role == kernel::Role::output ? nullptr : inputs[t].data());
    }
    HONE_TRY(const std::vector<kernel::ReferenceOutput> outputs, reference.evaluate(sizes, pointers));
    std::string content;
    for (const kernel::ReferenceOutput& output : outputs) {
      content.append(reinterpret_cast<const char*>(output.values.data()), output.values.size() * sizeof(double));
      content.append(reinterpret_cast<const char*>(output.bounds.data()), output.bounds.size() * sizeof(double));
    }
    HONE_CHECK(write_file(folder / fmt::format("{}-{}.bin", subject.kernel.name, sizes_name(sizes)), content));
  }
  return {};
}

} // namespace hone::gpu_pack
