// hone replay: the path to a checkpoint carried out again, here.
#include "policy/replay.h"

#include "bundle/repeat_steps.h"
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

#include <array>

namespace hone::cli {

namespace {

struct ReplayOptions {
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::string from; // a state folder of another machine
  std::string into; // with a bundle: the kernel whose workflow takes the checkpoints
  bool dry_run = false;
};

// What is replayed, and where.
struct Source {
  std::optional<TemporaryFolder> unpacked; // the kernel of a bundle
  Workbench bench;
  std::vector<Checkpoint> path;
  std::vector<RepeatedStep> carried_out; // of a bundle, one per checkpoint
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

Result<Workflow> open_foreign(const Workbench& bench, const std::string& given)
{
  const fs::path folder = fs::path(given).lexically_normal();
  const Store store = store_at(folder.has_filename() ? folder : folder.parent_path());
  HONE_TRY(const std::vector<Workflow::Key> keys, Workflow::list(store.state));
  std::vector<Workflow> found;
  for (const Workflow::Key& key : keys) {
    if (key.kernel_hash != bench.kernel->hash || key.backend != bench.backend->name()) {
      continue;
    }
    HONE_TRY(Workflow workflow, Workflow::open_to_read(store.state, *bench.kernel, key));
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
    for (const Workflow& workflow : found) {
      folders.push_back(workflow.folder().string());
    }
    return fail(fmt::format("'{}' holds workflows of several devices", given),
                "give one of them: --from " + join(folders, ", --from "), Place{"--from", 0, 0});
  }
  return std::move(found.front());
}

Result<std::vector<Checkpoint>> recorded_path(const Workbench& bench, const ReplayOptions& options)
{
  HONE_TRY(const Workflow workflow,
           options.from.empty() ? open_existing_workflow(bench) : open_foreign(bench, options.from));
  HONE_TRY(const Checkpoint last, workflow.find(options.checkpoint));
  HONE_TRY(const std::vector<std::string> ids, workflow.path_to(last.id));
  std::vector<Checkpoint> path;
  for (const std::string& id : ids) {
    HONE_TRY(Checkpoint checkpoint, workflow.find(id));
    path.push_back(std::move(checkpoint));
  }
  return path;
}

// The comparison with the step before; none for the start, which is measured against a copy of itself.
const ComparisonResult* comparison_of(const Record& record)
{
  const bool judged = record.kind == Job::Kind::judge && !record.verdict.comparisons.empty();
  return judged ? &record.verdict.comparisons.front() : nullptr;
}

// "FAST 3.42x [3.40, 3.44]"; of the start, its time.
std::string figure_text(const Record& record)
{
  const Verdict& verdict = record.verdict;
  if (verdict.status != Status::correct) {
    return fmt::format("{}: {}", name_of(verdict.status), verdict.reason);
  }
  const ComparisonResult* comparison = comparison_of(record);
  if (comparison == nullptr) {
    return time_text(verdict.cold ? verdict.cold : verdict.hot);
  }
  return fmt::format("{} {}", name_of(comparison->verdict), ratio_text(comparison->ratio, comparison->ci95));
}

bool agrees(const ReplayedStep& step)
{
  const ComparisonResult* here = comparison_of(step.here);
  const ComparisonResult* then = comparison_of(step.recorded.record);
  return step.here.verdict.status == Status::correct
         && (here == nullptr || then == nullptr || here->verdict == then->verdict);
}

// Whether the steps led to the same files once more, in words.
std::string words_of(const RepeatedStep& again)
{
  switch (again.how) {
  case RepeatedStep::How::taken:
    return "as it is";
  case RepeatedStep::How::builtin:
    return again.same ? "same files, by the built-in engine" : "OTHER files, by the built-in engine";
  case RepeatedStep::How::model:
    break;
  }
  return again.same ? "same files, from its answers" : "OTHER files, from its answers";
}

double ratio_of(const Record& record)
{
  const ComparisonResult* comparison = comparison_of(record);
  return comparison == nullptr ? 1 : comparison->ratio;
}

Json step_json(const ReplayedStep& step)
{
  return {{"transformation", step.recorded.transformation},
          {"recorded", step.recorded.id},
          {"checkpoint", step.checkpoint},
          {"candidate", step.here.candidate},
          {"agrees", agrees(step)},
          {"then", to_json(step.recorded.record.verdict)},
          {"now", to_json(step.here.verdict)}};
}

Json step_json(const RepeatedStep& again)
{
  constexpr std::array<const char*, 3> k_how{"taken", "builtin", "model"};
  return {{"transformation", again.transformation},
          {"how", k_how.at(static_cast<std::size_t>(again.how))},
          {"same", again.same},
          {"other", again.other}};
}

void print_table(const Terminal& terminal, const std::vector<ReplayedStep>& steps)
{
  std::vector<std::vector<std::string>> rows{{"step", "recorded", "here", "", "checkpoint here"}};
  double then = 1;
  double now = 1;
  for (const ReplayedStep& step : steps) {
    then *= ratio_of(step.recorded.record);
    now *= ratio_of(step.here);
    rows.push_back({step.recorded.transformation, figure_text(step.recorded.record), figure_text(step.here),
                    agrees(step) ? "agrees" : "DIFFERS", step.checkpoint.empty() ? "-" : short_id(step.checkpoint)});
  }
  rows.push_back({"product of the steps", ratio_text(then), ratio_text(now), "", ""});
  terminal.out(aligned_table(rows));
}

void print_carried_out(const Terminal& terminal, const std::vector<RepeatedStep>& steps)
{
  std::vector<std::vector<std::string>> rows{{"step", "carried out again"}};
  for (const RepeatedStep& again : steps) {
    rows.push_back({again.transformation, words_of(again)});
    for (const std::string& other : again.other) {
      rows.push_back({"", "- " + other});
    }
  }
  terminal.out(aligned_table(rows));
}

bool is_bundle(const std::string& given)
{
  std::error_code ignored;
  return given.ends_with(k_bundle_ending) && !fs::is_directory(given, ignored);
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
Result<std::size_t> steps_to(const Bundle& bundle, const std::string& name, const std::string& file)
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

Result<Source> open_bundle(Context& context, ReplayOptions options)
{
  const std::string file = options.kernel.kernel;
  if (!options.from.empty()) {
    return fail("--from is for a folder of workflows, and a bundle holds its path", "leave --from out",
                Place{"--from", 0, 0});
  }
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return fail(fmt::format("there is no bundle {}", file), "`hone export` makes one", Place{"KERNEL", 0, 0});
  }
  HONE_TRY(const std::string bytes, read_file(file));
  HONE_TRY(PackedBundle packed, unpack_bundle(bytes, file));
  HONE_CHECK(take_backend(context, packed.backend, file));
  Source source;
  if (options.into.empty()) {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-bundle"));
    HONE_CHECK(write_kernel_files(packed, folder.path()));
    options.kernel.kernel = folder.path().string();
    source.unpacked.emplace(std::move(folder));
  } else {
    options.kernel.kernel = options.into;
  }
  HONE_TRY(source.bench, open_workbench(context, options.kernel));
  const Kernel& kernel = *source.bench.kernel;
  HONE_TRY(Bundle bundle, read_bundle(std::move(packed), kernel, file));
  HONE_TRY(const std::size_t steps, steps_to(bundle, options.checkpoint, file));
  bundle.steps.erase(bundle.steps.begin() + static_cast<std::ptrdiff_t>(steps), bundle.steps.end());
  HONE_TRY(const DeviceInfo device, source.bench.backend->probe());
  HONE_TRY(const auto catalogue, load_catalogue(share_folder() / "transformations", kernel.folder));
  HONE_TRY(source.carried_out, repeat_steps(kernel, bundle, device.plan_facts, catalogue, share_folder() / "prompts"));
  for (BundledStep& step : bundle.steps) {
    source.path.push_back(std::move(step.checkpoint));
  }
  return source;
}

Result<Source> open_source(Context& context, const ReplayOptions& options)
{
  if (is_bundle(options.kernel.kernel)) {
    return open_bundle(context, options);
  }
  if (!options.into.empty()) {
    return fail("--into is for bundles: the workflow of the kernel takes the checkpoints anyway", "leave --into out",
                Place{"--into", 0, 0});
  }
  Source source;
  HONE_TRY(source.bench, open_workbench(context, options.kernel));
  HONE_TRY(source.path, recorded_path(source.bench, options));
  return source;
}

Result<std::vector<ReplayedStep>> judge_again(Context& context, const Source& source, const ReplayOptions& options)
{
  const Workbench& bench = source.bench;
  ReplayRequest request;
  request.path = source.path;
  if (!options.kernel.sizes.empty()) {
    request.sizes = bench.recipe.sizes;
  }
  if (context.settings.is_from_flag("regime")) {
    request.regime = bench.recipe.regime;
  }
  request.stop = context.stop;
  request.before = [&](const Checkpoint& step) {
    context.terminal.status(fmt::format("{} through the gate ...", step.transformation));
  };
  HONE_TRY(const auto executor, open_executor(bench, context));
  std::optional<Workflow> workflow;
  if (!options.dry_run && !source.unpacked) {
    HONE_TRY(Workflow opened, open_workflow(bench, executor->gate().device(), context));
    workflow.emplace(std::move(opened));
  }
  return replay(*bench.kernel, *executor, workflow ? &*workflow : nullptr, request);
}

Result<Exit> replay_path(Context& context, const ReplayOptions& options)
{
  HONE_TRY(const Source source, open_source(context, options));
  Json again = Json::array();
  bool same = true;
  for (const RepeatedStep& step : source.carried_out) {
    same = same && step.same;
    again.push_back(step_json(step));
  }
  if (!source.carried_out.empty()) {
    print_carried_out(context.terminal, source.carried_out);
  }
  HONE_TRY(const std::vector<ReplayedStep> steps, judge_again(context, source, options));
  context.terminal.clear_status();
  print_table(context.terminal, steps);
  Json list = Json::array();
  bool right = true;
  for (const ReplayedStep& step : steps) {
    right = right && step.here.verdict.status == Status::correct;
    list.push_back(step_json(step));
    if (step.here.verdict.status != Status::correct) {
      context.terminal.out(fmt::format("{} is not right here; the steps after it build on it and were not tried\n{}",
                                       step.recorded.transformation,
                                       evidence_text(context.terminal, step.here.verdict)));
    }
  }
  if (source.unpacked) {
    context.terminal.out("nothing was kept: --into KERNEL makes checkpoints of it there");
  }
  context.print_json({{"kernel", source.bench.kernel->name},
                      {"backend", source.bench.backend->name()},
                      {"kept", !options.dry_run && !source.unpacked},
                      {"carried_out", again},
                      {"same", same},
                      {"correct", right},
                      {"stopped", context.stop.stop_requested()},
                      {"steps", list}});
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  return right && same ? Exit::ok : Exit::negative;
}

} // namespace

void add_replay(CommandLine& line)
{
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
    line.add("replay", "Carry the recorded path to a checkpoint out again on this machine",
             {"hone replay kernels/matmul best --dry-run          # recorded ratios beside those measured now",
              "hone replay kernels/matmul --from /mnt/other/.hone  # what another machine found, judged here",
              "hone replay kernels/matmul best --size m=512        # the same steps at other sizes",
              "hone replay matmul-cpu.hone                         # what somebody exported: same files, still right?",
              "hone replay matmul-cpu.hone --into kernels/matmul   # and make checkpoints of it there"},
             [options](Context& context) { return replay_path(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "where the path ends: id, prefix, branch, best or start");
  command->add_option("--from", options->from, "take the path from this state folder (another machine's KERNEL/.hone)");
  command->add_option("--into", options->into,
                      "with a bundle (NAME.hone): the kernel whose workflow takes the checkpoints");
  command->add_flag("--dry-run", options->dry_run, "only show; make no checkpoints");
}

} // namespace hone::cli
