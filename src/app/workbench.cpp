#include "app/workbench.h"

#include "app/kernel_path.h"
#include "gate/lint.h"
#include "kernel/size_conditions.h"
#include "lower/lower.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace hone::app {

namespace {

Result<kernel::Sizes> sizes_for(const kernel::Kernel& kernel, const std::vector<std::string>& items)
{
  kernel::Sizes sizes = kernel.timed.front();
  HONE_TRY(const auto given, parse_sizes(items));
  for (const auto& [name, value] : given) {
    if (!sizes.contains(name)) {
      return fail(
        fmt::format("kernel '{}' has no size '{}'; its sizes are {}", kernel.name, name, join(kernel.symbols, ", ")),
        did_you_mean(name, kernel.symbols), Place{"--size", 0, 0});
    }
    sizes[name] = value;
  }
  if (auto met = kernel::check_size_conditions(kernel, sizes); !met) {
    met.error().place = Place{"--size", 0, 0};
    return std::unexpected(std::move(met.error()));
  }
  return sizes;
}

// All timed sizes of the kernel count, unless others are asked for.
void add_further_sizes(const kernel::Kernel& kernel, record::Recipe& recipe)
{
  for (std::size_t i = 0; i < kernel.timed.size(); ++i) {
    const double weight = kernel.weights.empty() ? 1 : kernel.weights[i];
    if (i == 0) {
      recipe.weight = weight;
    } else {
      recipe.further.push_back({kernel.timed[i], weight});
    }
  }
}

Result<record::Regime> regime_from(const std::string& name)
{
  if (name == "cold" || name == "hot") {
    return name == "cold" ? record::Regime::cold : record::Regime::hot;
  }
  return fail(fmt::format("regime must be cold or hot, not '{}'", name), {}, Place{"--regime", 0, 0});
}

Result<store::Workflow::Key> existing_key(const Workbench& bench)
{
  HONE_TRY(const std::vector<store::Workflow::Key> keys, store::Workflow::list(bench.state));
  std::vector<store::Workflow::Key> ours;
  for (const store::Workflow::Key& key : keys) {
    if (key.kernel_hash == bench.kernel->hash && key.backend == bench.backend->name()) {
      ours.push_back(key);
    }
  }
  if (ours.empty()) {
    const std::string why = keys.empty() ? "" : " (there are workflows of another backend or of an older kernel.toml)";
    return fail(fmt::format("kernel '{}' has no workflow on {} under '{}'{}", bench.kernel->name, bench.backend->name(),
                            bench.state.string(), why),
                fmt::format("start one: hone optimize {}", bench.kernel->folder.string()));
  }
  if (ours.size() > 1) {
    // On several devices: the one this machine has.
    HONE_TRY(const backend::DeviceInfo device, bench.backend->probe());
    std::erase_if(ours, [&](const store::Workflow::Key& key) { return key.device_fingerprint != device.fingerprint; });
    if (ours.empty()) {
      return fail(fmt::format("none of the workflows of kernel '{}' is of this device", bench.kernel->name),
                  fmt::format("start one: hone optimize {}", bench.kernel->folder.string()));
    }
  }
  return ours.front();
}

} // namespace

Result<std::map<std::string, std::int64_t>> parse_sizes(const std::vector<std::string>& items)
{
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& item : items) {
    for (const std::string& pair : split(item, ',')) {
      const std::size_t equals = pair.find('=');
      std::int64_t value = 0;
      const char* end = pair.data() + pair.size();
      const bool good =
        equals != std::string::npos && equals > 0 && std::from_chars(pair.data() + equals + 1, end, value).ptr == end;
      if (good && value < 1) {
        return fail(fmt::format("the size '{}' must be 1 or more", pair), "write sizes as --size m=1024 --size n=512",
                    Place{"--size", 0, 0});
      }
      if (!good) {
        return fail(fmt::format("'{}' is not a size", pair), "write sizes as --size m=1024 --size n=512",
                    Place{"--size", 0, 0});
      }
      sizes[pair.substr(0, equals)] = value;
    }
  }
  return sizes;
}

Result<void> prove_check(const Workbench& bench, Context& context)
{
  gate::LintOptions options;
  options.cache = cache_folder();
  options.stop = context.stop;
  options.progress = [&context](std::string_view what) {
    context.observer->status(fmt::format("proving the kernel's check, once: {} ...", what));
  };
  HONE_TRY(const std::string untried, gate::require_lint(*bench.kernel, options));
  context.observer->clear_status();
  if (!untried.empty()) {
    context.observer->note("the kernel's check: " + untried);
  }
  return {};
}

Result<Workbench> open_workbench(const Context& context, const KernelRequest& request)
{
  Workbench bench;
  HONE_TRY(kernel::Kernel kernel, kernel::load_kernel(kernel_path(request.kernel)));
  bench.kernel = std::make_shared<const kernel::Kernel>(std::move(kernel));
  HONE_TRY(bench.backend, backend::find_backend(context.settings.text("backend")));
  HONE_TRY(bench.recipe.sizes, sizes_for(*bench.kernel, request.sizes));
  if (request.sizes.empty() && bench.kernel->timed.size() > 1) {
    add_further_sizes(*bench.kernel, bench.recipe);
  }
  HONE_TRY(bench.recipe.regime, regime_from(context.settings.text("regime")));
  HONE_TRY(const std::int64_t threads, context.settings.integer("threads"));
  if (threads < 1 || threads > std::numeric_limits<int>::max()) {
    return fail(fmt::format("a candidate cannot run on {} threads", threads), "give --threads 1 or more",
                Place{"--threads", 0, 0});
  }
  bench.recipe.threads = static_cast<int>(threads);
  HONE_TRY(bench.seed, context.settings.seed());
  const std::string& state = context.settings.text("state");
  bench.state = state.empty() ? bench.kernel->folder / ".hone" : fs::path(state);
  return bench;
}

Result<gate::Gate> open_gate(const Workbench& bench, Context& context, const inputs::ForcedInputs& forced,
                             Measures measures)
{
  gate::GateOptions options;
  options.forced = forced;
  options.cache = cache_folder();
  options.seed = bench.seed;
  options.stop = context.stop;
  if (measures == Measures::yes) {
    HONE_TRY(options.ceilings, ceilings_of(bench, context));
  }
  HONE_TRY(gate::Gate gate, gate::Gate::open(bench.kernel, *bench.backend, std::move(options)));
  if (auto possible = gate.check(bench.recipe); !possible) {
    possible.error().place = Place{"--threads", 0, 0};
    return std::unexpected(std::move(possible.error()));
  }
  return gate;
}

Result<std::unique_ptr<execute::LocalExecutor>> open_executor(const Workbench& bench, Context& context,
                                                              const inputs::ForcedInputs& forced, Measures measures)
{
  HONE_TRY(gate::Gate gate, open_gate(bench, context, forced, measures));
  HONE_CHECK(prove_check(bench, context));
  return std::make_unique<execute::LocalExecutor>(bench.kernel, std::move(gate), context.stop);
}

Result<store::Workflow> open_workflow(const Workbench& bench, const backend::DeviceInfo& device, const Context& context)
{
  return store::Workflow::open(bench.state, *bench.kernel,
                               {bench.kernel->hash, std::string(bench.backend->name()), device.fingerprint},
                               waits_for_another(context));
}

Result<store::Workflow> open_existing_workflow(const Workbench& bench)
{
  HONE_TRY(const store::Workflow::Key key, existing_key(bench));
  return store::Workflow::open_to_read(bench.state, *bench.kernel, key);
}

Result<store::Workflow> open_existing_to_write(const Workbench& bench, const Context& context)
{
  HONE_TRY(const store::Workflow::Key key, existing_key(bench));
  return store::Workflow::open(bench.state, *bench.kernel, key, waits_for_another(context));
}

store::Workflow::Waiting waits_for_another(const Context& context)
{
  return [&context, told = false](const std::string& holder) mutable {
    if (!std::exchange(told, true)) {
      context.observer->note(fmt::format(
        "another Hone is at work here (process {}): waiting until it has finished (Ctrl-C to give up)", holder));
    }
    return !context.stop.stop_requested();
  };
}

void warn_of_damage(const Context& context, const store::Workflow& workflow)
{
  const auto findings = workflow.check();
  if (findings && findings->empty()) {
    return;
  }
  const std::string first = findings ? findings->front() : findings.error().message;
  const std::size_t more = findings ? findings->size() - 1 : 0;
  context.observer->warning(
    fmt::format("{} is damaged, and the rest of it used: {}{}\n  `hone fsck` says everything, `hone fsck "
                "--repair` mends what can be",
                workflow.folder().string(), first, more == 0 ? "" : fmt::format(" (and {} more)", more)));
}

Result<gate::Ceilings> ceilings_of(const Workbench& bench, Context& context)
{
  HONE_TRY(const backend::DeviceInfo device, bench.backend->probe());
  const fs::path file = gate::ceilings_file(bench.backend->name());
  if (auto kept = gate::load_ceilings(file, device.fingerprint)) {
    return kept;
  }
  context.observer->status("measuring this device's ceilings ...");
  HONE_TRY(gate::Ceilings measured, gate::measure_ceilings(*bench.backend));
  HONE_CHECK(gate::save_ceilings(measured, file));
  return measured;
}

Result<void> refresh_ceilings(const Workbench& bench)
{
  HONE_TRY(const backend::DeviceInfo device, bench.backend->probe());
  const fs::path file = gate::ceilings_file(bench.backend->name());
  auto kept = gate::load_ceilings(file, device.fingerprint);
  // Without memory for another look they stay as they are.
  return kept && gate::raise_ceilings(*kept, *bench.backend).value_or(false) ? gate::save_ceilings(*kept, file)
                                                                             : Result<void>();
}

bool names_folder(const std::string& name, const store::Workflow* workflow)
{
  std::error_code ignored;
  const bool is_candidate = fs::exists(fs::path(name) / "launch.toml", ignored);
  const bool is_path = name.find('/') != std::string::npos;
  return is_candidate && (is_path || workflow == nullptr || !workflow->find(name));
}

Result<record::Contender> naive_contender(const Workbench& bench)
{
  HONE_TRY(kernel::Candidate candidate, lower::naive_candidate(*bench.kernel, bench.backend->dialect()));
  kernel::TuningPoint point = candidate.plan.tuning.defaults();
  return record::Contender{std::move(candidate), std::move(point), {}, {}};
}

Result<std::vector<store::Checkpoint>> path_of(const store::Workflow& workflow, const std::string& name)
{
  HONE_TRY(const store::Checkpoint last, workflow.find(name));
  HONE_TRY(const std::vector<std::string> ids, workflow.path_to(last.id));
  std::vector<store::Checkpoint> path;
  for (const std::string& id : ids) {
    HONE_TRY(path.emplace_back(), workflow.find(id));
  }
  return path;
}

Result<record::Contender> contender_named(const Workbench& bench, store::Workflow* workflow, const std::string& name)
{
  if (names_folder(name, workflow)) {
    HONE_TRY(kernel::Candidate candidate, kernel::load_candidate(*bench.kernel, name));
    kernel::TuningPoint point = candidate.plan.tuning.defaults();
    return record::Contender{std::move(candidate), std::move(point), {}, {}};
  }
  if (workflow == nullptr) {
    return fail(fmt::format("'{}' is not a candidate folder (it has no launch.toml)", name),
                "a candidate is a folder with device.cpp, macros.h and launch.toml", Place{name, 0, 0});
  }
  HONE_TRY(store::Checkpoint checkpoint, workflow->find(name));
  return record::Contender{std::move(checkpoint.candidate), std::move(checkpoint.point), {}, {}};
}

} // namespace hone::app
