#include "app/replay.h"

#include "app/agreement.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace hone::app {

namespace {

// What is replayed, and where.
struct Source {
  std::optional<TemporaryFolder> unpacked; // the kernel of a bundle
  Workbench bench;
  std::vector<store::Checkpoint> path;
  std::vector<bundle::RepeatedStep> carried_out; // of a bundle, one per checkpoint
};

// What a person may give: a state folder, one workflow's folder in it, or a kernel folder with .hone inside.
struct Store {
  fs::path state;
  fs::path only; // this workflow; empty: any
};

Store store_at(const fs::path& given)
{
  std::error_code ignored;
  if (fs::exists(given / "key.json", ignored)) {
    return {given.parent_path().empty() ? fs::path(".") : given.parent_path(), given};
  }
  return {fs::is_directory(given / ".hone", ignored) ? given / ".hone" : given, {}};
}

Result<store::Workflow> open_foreign(const Workbench& bench, const std::string& given)
{
  const fs::path folder = fs::path(given).lexically_normal();
  const Store store = store_at(folder.has_filename() ? folder : folder.parent_path());
  HONE_TRY(const std::vector<store::Workflow::Key> keys, store::Workflow::list(store.state));
  std::vector<store::Workflow> found;
  for (const store::Workflow::Key& key : keys) {
    if (key.kernel_hash != bench.kernel->hash || key.backend != bench.backend->name()) {
      continue;
    }
    HONE_TRY(store::Workflow workflow, store::Workflow::open_to_read(store.state, *bench.kernel, key));
    std::error_code ignored;
    if (store.only.empty() || fs::equivalent(store.only, workflow.folder(), ignored)) {
      found.push_back(std::move(workflow));
    }
  }
  if (found.empty()) {
    return fail(fmt::format("there is no workflow of kernel '{}' on {} under '{}'", bench.kernel->name,
                            bench.backend->name(), given),
                keys.empty() ? "give the folder that holds the workflows, usually KERNEL/.hone"
                             : "the workflows there are of another kernel, another kernel.toml or another --backend",
                Place{"--from", 0, 0});
  }
  if (found.size() > 1) {
    std::vector<std::string> folders;
    for (const store::Workflow& workflow : found) {
      folders.push_back(workflow.folder().string());
    }
    return fail(fmt::format("'{}' holds workflows of several devices", given),
                "give one of them: --from " + join(folders, ", --from "), Place{"--from", 0, 0});
  }
  return std::move(found.front());
}

Result<std::vector<store::Checkpoint>> recorded_path(const Workbench& bench, const ReplayPathRequest& request)
{
  HONE_TRY(const store::Workflow workflow,
           request.from.empty() ? open_existing_workflow(bench) : open_foreign(bench, request.from));
  return path_of(workflow, request.checkpoint);
}

Json replayed_json(const policy::ReplayedStep& step)
{
  return {{"transformation", step.recorded.transformation},
          {"recorded", step.recorded.id},
          {"checkpoint", step.checkpoint},
          {"candidate", step.here.candidate},
          {"agrees", agrees(step)},
          {"then", record::to_json(step.recorded.record.verdict)},
          {"now", record::to_json(step.here.verdict)}};
}

Json again_json(const bundle::RepeatedStep& again)
{
  constexpr std::array<const char*, 3> k_how{"taken", "builtin", "model"};
  return {{"transformation", again.transformation},
          {"how", k_how.at(static_cast<std::size_t>(again.how))},
          {"same", again.same},
          {"other", again.other}};
}

bool is_bundle(const std::string& given)
{
  std::error_code ignored;
  return given.ends_with(bundle::k_bundle_ending) && !fs::is_directory(given, ignored);
}

// The backend is the bundle's; another one cannot be asked for.
Result<void> take_backend(Context& context, const std::string& backend, const std::string& file)
{
  if (context.settings.is_from_flag("backend") && context.settings.text("backend") != backend) {
    return fail(fmt::format("{} is of the backend {}", file, backend), "leave --backend out", Place{"--backend", 0, 0});
  }
  context.settings.set("backend", backend, file);
  return {};
}

// How many of its steps lead to a checkpoint. A bundle knows ids, its start, and "best": where it ends.
Result<std::size_t> steps_to(const bundle::Bundle& bundle, const std::string& name, const std::string& file)
{
  if (name == "best") {
    return bundle.steps.size();
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < bundle.steps.size(); ++i) {
    if (bundle.steps[i].checkpoint.id.starts_with(name)) {
      found.push_back(i + 1);
    }
  }
  if (name == "start") {
    found = {1};
  }
  if (found.size() != 1) {
    return fail(fmt::format("{} holds {} checkpoint '{}'", file, found.empty() ? "no" : "more than one", name),
                "give an id, more of its digits, or start; a bundle holds no branches", Place{"CHECKPOINT", 0, 0});
  }
  return found.front();
}

Result<Source> open_bundle(Context& context, ReplayPathRequest request)
{
  const std::string file = request.kernel.kernel;
  if (!request.from.empty()) {
    return fail("--from is for a folder of workflows, and a bundle holds its path", "leave --from out",
                Place{"--from", 0, 0});
  }
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return fail(fmt::format("there is no bundle {}", file), "`hone export` makes one", Place{"KERNEL", 0, 0});
  }
  HONE_TRY(const std::string bytes, read_file(file));
  HONE_TRY(bundle::PackedBundle packed, bundle::unpack_bundle(bytes, file));
  HONE_CHECK(take_backend(context, packed.backend, file));
  Source source;
  if (request.into.empty()) {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-bundle"));
    HONE_CHECK(bundle::write_kernel_files(packed, folder.path()));
    request.kernel.kernel = folder.path().string();
    source.unpacked.emplace(std::move(folder));
  } else {
    request.kernel.kernel = request.into;
  }
  HONE_TRY(source.bench, open_workbench(context, request.kernel));
  const kernel::Kernel& kernel = *source.bench.kernel;
  HONE_TRY(bundle::Bundle bundle, bundle::read_bundle(std::move(packed), kernel, file));
  HONE_TRY(const std::size_t steps, steps_to(bundle, request.checkpoint, file));
  bundle.steps.erase(bundle.steps.begin() + static_cast<std::ptrdiff_t>(steps), bundle.steps.end());
  HONE_TRY(const backend::DeviceInfo device, source.bench.backend->probe());
  HONE_TRY(const auto catalogue, catalogue::load_catalogue(share_folder() / "transformations", kernel.folder));
  HONE_TRY(source.carried_out,
           bundle::repeat_steps(kernel, bundle, device.plan_facts, catalogue, share_folder() / "prompts"));
  for (bundle::BundledStep& step : bundle.steps) {
    source.path.push_back(std::move(step.checkpoint));
  }
  return source;
}

Result<Source> open_source(Context& context, const ReplayPathRequest& request)
{
  if (is_bundle(request.kernel.kernel)) {
    return open_bundle(context, request);
  }
  if (!request.into.empty()) {
    return fail("--into is for bundles: the workflow of the kernel takes the checkpoints anyway", "leave --into out",
                Place{"--into", 0, 0});
  }
  Source source;
  HONE_TRY(source.bench, open_workbench(context, request.kernel));
  HONE_TRY(source.path, recorded_path(source.bench, request));
  return source;
}

bool is_kept(const Source& source, const ReplayPathRequest& request)
{
  return !request.dry_run && !source.unpacked;
}

Result<std::vector<policy::ReplayedStep>> judge_path(Context& context, const Source& source,
                                                     const ReplayPathRequest& request)
{
  const Workbench& bench = source.bench;
  policy::ReplayRequest again;
  again.path = source.path;
  if (!request.kernel.sizes.empty()) {
    again.sizes = bench.recipe.sizes;
  }
  if (context.settings.is_from_flag("regime")) {
    again.regime = bench.recipe.regime;
  }
  again.stop = context.stop;
  again.before = [&](const store::Checkpoint& step) {
    context.observer->status(fmt::format("{} through the gate ...", step.transformation));
  };
  HONE_TRY(const auto executor, open_executor(bench, context));
  std::optional<store::Workflow> workflow;
  if (is_kept(source, request)) {
    HONE_TRY(store::Workflow opened, open_workflow(bench, executor->device(), context));
    workflow.emplace(std::move(opened));
  }
  return policy::replay(*bench.kernel, *executor, workflow ? &*workflow : nullptr, again);
}

} // namespace

bool ReplayResult::same() const
{
  return std::ranges::all_of(carried_out, &bundle::RepeatedStep::same);
}

bool ReplayResult::correct() const
{
  return std::ranges::all_of(
    steps, [](const policy::ReplayedStep& step) { return step.here.verdict.status == record::Status::correct; });
}

Result<ReplayResult> replay_path(Context& context, const ReplayPathRequest& request,
                                 const std::function<void(const std::vector<bundle::RepeatedStep>&)>& carried_out)
{
  HONE_TRY(Source source, open_source(context, request));
  if (!source.carried_out.empty()) {
    carried_out(source.carried_out);
  }
  ReplayResult result;
  HONE_TRY(result.steps, judge_path(context, source, request));
  context.observer->clear_status();
  result.kernel = source.bench.kernel->name;
  result.backend = source.bench.backend->name();
  result.unpacked = source.unpacked.has_value();
  result.kept = is_kept(source, request);
  result.carried_out = std::move(source.carried_out);
  result.stopped = context.stop.stop_requested();
  return result;
}

const record::ComparisonResult* comparison_with_parent(const record::Record& record)
{
  const bool judged = record.kind == record::Job::Kind::judge && !record.verdict.comparisons.empty();
  return judged ? &record.verdict.comparisons.front() : nullptr;
}

bool agrees(const policy::ReplayedStep& step)
{
  const record::ComparisonResult* here = comparison_with_parent(step.here);
  const record::ComparisonResult* then = comparison_with_parent(step.recorded.record);
  return step.here.verdict.status == record::Status::correct
         && (here == nullptr || then == nullptr || agrees(*then, *here));
}

Json to_json(const ReplayResult& result)
{
  Json again = Json::array();
  for (const bundle::RepeatedStep& step : result.carried_out) {
    again.push_back(again_json(step));
  }
  Json list = Json::array();
  for (const policy::ReplayedStep& step : result.steps) {
    list.push_back(replayed_json(step));
  }
  return {{"kernel", result.kernel}, {"backend", result.backend},   {"kept", result.kept},       {"carried_out", again},
          {"same", result.same()},   {"correct", result.correct()}, {"stopped", result.stopped}, {"steps", list}};
}

} // namespace hone::app
