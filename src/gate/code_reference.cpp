#include "gate/code_reference.h"

#include "gate/cpus.h"
#include "inputs/elements.h"
#include "util/hash.h"
#include "util/random.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cmath>

namespace hone::gate {

namespace {

constexpr std::chrono::minutes k_reference_deadline{2}; // of one call: nothing is known about its speed
constexpr const char* k_entry = "run_reference";

// The kernel that reference.cpp computes: the same, with every float in fp64.
kernel::Kernel in_fp64(const kernel::Kernel& kernel)
{
  kernel::Kernel out = kernel;
  for (kernel::Argument& argument : out.arguments) {
    argument.type = kernel::is_float(argument.type) ? kernel::DataType::f64 : argument.type;
  }
  return out;
}

// reference.cpp defines `void reference(arguments..., sizes...)`; a kernel of one group calls it.
Result<kernel::Candidate> candidate_from(const kernel::Kernel& fp64, const lower::Dialect& dialect)
{
  std::vector<std::string> parameters;
  std::vector<std::string> names;
  for (const kernel::Argument& argument : fp64.arguments) {
    const bool written = kernel::is_written(argument.role);
    parameters.push_back(
      fmt::format("{}{}* {}", written ? "" : "const ", lower::type_text(argument.type, dialect), argument.name));
    names.push_back(argument.name);
  }
  for (const std::string& symbol : fp64.symbols) {
    parameters.push_back("int64_t " + symbol);
    names.push_back(symbol);
  }
  const std::string device = fmt::format(
    "#include \"hone.h\"\n#line 1 \"reference.cpp\"\n{}\n\nextern \"C\" void {}(const hone_group*, {})\n{{\n"
    "  reference({});\n}}\n",
    fp64.reference_code, k_entry, join(parameters, ", "), join(names, ", "));
  const std::string plan =
    fmt::format("[[launch]]\nkernel = \"{}\"\ngrid = 1\nargs = [\"{}\"]\n", k_entry, join(names, "\", \""));
  return kernel::make_candidate(fp64, {{"device.cpp", device}, {"macros.h", "#pragma once\n"}, {"launch.toml", plan}});
}

} // namespace

struct CodeReference::State {
  kernel::Kernel kernel; // as the code sees it
  const backend::Backend* backend = nullptr;
  backend::DeviceInfo device;
  kernel::Candidate candidate;
  std::unique_ptr<BuildCache> builds;
  std::vector<kernel::DataType> given; // types of the arguments as the gate has them
  std::shared_ptr<const Prepared> prepared;
  std::unique_ptr<Harness> harness; // for prepared->sizes

  std::string file() const
  {
    const bool code = kernel.reference == kernel::ReferenceKind::code;
    return (code ? kernel.folder / "reference.cpp" : kernel::start_folder(kernel.folder, "cpu")).string();
  }

  std::unexpected<Error> failed(const std::string& what, const std::string& why) const
  {
    return fail(fmt::format("the reference {}: {}", what, why),
                kernel.reference == kernel::ReferenceKind::code
                  ? "it defines void reference(arguments..., sizes...), floats as double, in kernel.toml's order"
                  : "it is the kernel's own first candidate: `hone run` tells more",
                {file(), 0, 0});
  }

  Result<std::shared_ptr<const Prepared>> prepare(const kernel::Sizes& sizes)
  {
    const record::Contender contender{candidate, candidate.plan.tuning.defaults(), {}, {}};
    HONE_TRY(auto out, prepare_candidate(kernel, *builds, device.plan_facts, contender, sizes));
    if (!out) {
      return failed(out.error().status == record::Status::constraints ? "does not fit its sizes" : "does not compile",
                    out.error().reason + "\n" + out.error().log);
    }
    return std::move(*out);
  }

  Result<void> open(const kernel::Sizes& sizes)
  {
    if (harness && prepared->sizes == sizes) {
      return {};
    }
    harness.reset();
    HONE_TRY(prepared, prepare(sizes));
    HarnessSpec spec;
    spec.kernel = &kernel;
    spec.backend = backend;
    spec.prepared = prepared.get();
    spec.layout_seed = fresh_seed();
    spec.deadline = k_reference_deadline;
    HONE_TRY(SessionResult<Harness> opened, Harness::open(spec));
    if (!opened) {
      return failed("does not run", opened.error().reason);
    }
    harness = std::make_unique<Harness>(std::move(*opened));
    return {};
  }
};

Result<CodeReference> CodeReference::build(const kernel::Kernel& kernel, const std::string& environment,
                                           const fs::path& cache)
{
  auto state = std::make_shared<State>();
  for (const kernel::Argument& argument : kernel.arguments) {
    state->given.push_back(argument.type);
  }
  HONE_TRY(state->backend, backend::find_backend("cpu"));
  HONE_TRY(state->device, state->backend->probe());
  const bool code = kernel.reference == kernel::ReferenceKind::code;
  state->kernel = code ? in_fp64(kernel) : kernel;
  auto candidate = code ? candidate_from(state->kernel, state->backend->dialect())
                        : kernel::load_candidate(kernel, kernel::start_folder(kernel.folder, "cpu"));
  if (!candidate) {
    return std::unexpected(std::move(candidate.error()));
  }
  state->candidate = std::move(*candidate);
  state->builds = std::make_unique<BuildCache>(state->kernel, *state->backend, environment + " reference", cache,
                                               usable_cpus().front());
  HONE_CHECK(state->prepare(kernel.timed.front())); // a mistake in it shows before anything else is done
  CodeReference out;
  out.m_state = std::move(state);
  return out;
}

Result<std::vector<kernel::ReferenceOutput>> CodeReference::evaluate(const kernel::Sizes& sizes,
                                                                     std::span<const std::byte* const> inputs)
{
  State& state = *m_state;
  HONE_CHECK(state.open(sizes));
  Arena& arena = state.harness->arena();
  Random random(fresh_seed());
  arena.poison(0, random);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const kernel::Argument& argument = state.kernel.arguments[i];
    if (argument.role == kernel::Role::output) {
      continue;
    }
    const std::span<std::byte> to = arena.tensor(0, i);
    const std::size_t size = kernel::size_of(argument.type);
    const std::size_t given = kernel::size_of(state.given[i]);
    for (std::size_t at = 0; at * size < to.size(); ++at) {
      inputs::store_element(argument.type, to.data() + at * size,
                            inputs::load_element(state.given[i], inputs[i] + at * given));
    }
  }
  if (auto called = state.harness->call(); !called) {
    state.harness.reset();
    return state.failed(fmt::format("fails on {}", kernel::to_text(sizes)), called.error().reason);
  }
  std::vector<kernel::ReferenceOutput> out;
  const kernel::Accuracy& accuracy = state.kernel.accuracy;
  for (const std::size_t output : state.kernel.outputs()) {
    const kernel::DataType type = state.kernel.arguments[output].type;
    const std::span<std::byte> from = arena.tensor(0, output);
    kernel::ReferenceOutput values;
    double largest = 0;
    for (std::size_t at = 0; at * kernel::size_of(type) < from.size(); ++at) {
      const double value = inputs::load_element(type, from.data() + at * kernel::size_of(type));
      values.values.push_back(value);
      largest = std::isfinite(value) ? std::fmax(largest, std::fabs(value)) : largest;
    }
    const double relative = accuracy.tolerance.relative + kernel::unit_roundoff(state.given[output]);
    for (double& value : values.values) {
      const bool left = !accuracy.checks_nonfinite && !std::isfinite(value);
      value = left ? 0 : value;
      const double own = std::isfinite(value) ? std::fabs(value) : 0;
      const double magnitude = accuracy.bounds == kernel::BoundClass::normwise ? largest : own;
      values.bounds.push_back(left                     ? HUGE_VAL
                              : kernel::is_float(type) ? accuracy.tolerance.absolute + relative * magnitude
                                                       : 0);
    }
    out.push_back(std::move(values));
  }
  return out;
}

} // namespace hone::gate
