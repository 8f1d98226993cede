#include "app/ship.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "lower/lower.h"
#include "ship/ship.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

struct Shipment {
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  kernel::Sizes sizes;
  ship::StandaloneRecord record;
  std::string busy = {};
};

// The newest measurement of the checkpoint, as the report takes it: at the end of a climb the best is measured again.
Result<record::Record> newest_record_of(const store::Workflow& workflow, const store::Checkpoint& checkpoint)
{
  HONE_TRY(const std::vector<store::Step> steps, workflow.steps());
  record::Record out = checkpoint.record;
  for (const store::Step& step : steps) {
    const record::Record& record = step.record;
    const bool is_same = record.candidate == out.candidate && record.point == out.point && record.baseline.empty()
                         && record.recipe_used.sizes == out.recipe_used.sizes
                         && record.recipe_used.threads == out.recipe_used.threads;
    if (is_same && record.verdict.status == record::Status::correct && (record.verdict.cold || record.verdict.hot)) {
      out = record;
    }
  }
  return out;
}

ship::StandaloneRecord told(const Workbench& bench, const store::Checkpoint& checkpoint, const record::Record& record)
{
  ship::StandaloneRecord out;
  out.origin = fmt::format("From checkpoint {} ({}) of the kernel '{}'.", short_id(checkpoint.id),
                           checkpoint.transformation, bench.kernel->name);
  out.cold_s = record.verdict.cold ? record.verdict.cold->median : 0;
  out.hot_s = record.verdict.hot ? record.verdict.hot->median : 0;
  out.cold_range = record.verdict.cold ? record.verdict.cold->ci95 : Interval{};
  out.hot_range = record.verdict.hot ? record.verdict.hot->ci95 : Interval{};
  out.threads = record.recipe_used.threads;
  out.time_utc = record.time_utc;
  return out;
}

// Whether the kernel's workflow was made on this device: open_existing_workflow takes that one where there are several.
Result<bool> is_of(const Workbench& bench, const backend::DeviceInfo& device)
{
  HONE_TRY(const std::vector<store::Workflow::Key> keys, store::Workflow::list(bench.state));
  return std::ranges::any_of(keys, [&](const store::Workflow::Key& key) {
    return key.kernel_hash == bench.kernel->hash && key.backend == bench.backend->name()
           && key.device_fingerprint == device.fingerprint;
  });
}

Result<Shipment> shipment(const Workbench& bench, const backend::DeviceInfo& device, const std::string& name)
{
  Shipment out;
  out.sizes = bench.recipe.sizes;
  const auto workflow = open_existing_workflow(bench);
  if (name == "naive" || names_folder(name, workflow ? &*workflow : nullptr)) {
    HONE_TRY(out.candidate, name == "naive" ? lower::naive_candidate(*bench.kernel, bench.backend->dialect())
                                            : kernel::load_candidate(*bench.kernel, name));
    out.point = out.candidate.plan.tuning.defaults();
    out.record.origin = name == "naive"
                          ? fmt::format("From the plain first candidate of the kernel '{}'.", bench.kernel->name)
                          : fmt::format("From a candidate folder for the kernel '{}'.", bench.kernel->name);
    return out;
  }
  if (!workflow) {
    return std::unexpected(workflow.error());
  }
  HONE_TRY(const store::Checkpoint checkpoint, workflow->find(name));
  HONE_TRY(const record::Record record, newest_record_of(*workflow, checkpoint));
  out.candidate = checkpoint.candidate;
  out.point = checkpoint.point;
  out.sizes = record.recipe_used.sizes;
  out.record = told(bench, checkpoint, record);
  out.busy = busy_text(record, "measured");
  HONE_TRY(const bool here, is_of(bench, device));
  out.record.device = here ? device.name : "another machine than the one that wrote this folder";
  out.record.compiler = here ? device.facts.at("compiler") : "";
  return out;
}

Result<fs::path> folder_to_ship_into(const ShipRequest& request, const kernel::Kernel& kernel)
{
  const fs::path folder =
    request.folder.empty() ? fs::path(ship::standalone_name(kernel) + "-" + request.as) : fs::path(request.folder);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return fail(fmt::format("'{}' exists and is not empty", folder.string()), "choose another folder with --out",
                Place{"--out", 0, 0});
  }
  fs::create_directories(folder, error);
  if (error) {
    return fail(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()),
                "choose another folder with --out", Place{"--out", 0, 0});
  }
  return folder;
}

} // namespace

Result<ShipResult> ship_checkpoint(Context& context, const ShipRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  if (bench.backend->name() != "cpu") {
    return fail(fmt::format("candidates of the backend '{}' cannot be shipped", bench.backend->name()),
                "only those of --backend cpu can", Place{"--backend", 0, 0});
  }
  HONE_TRY(const backend::DeviceInfo device, bench.backend->probe());
  HONE_TRY(const Shipment goods, shipment(bench, device, request.checkpoint));
  const ship::StandaloneRequest parts{*bench.kernel,
                                      goods.candidate,
                                      goods.point,
                                      goods.sizes,
                                      request.as == "c" ? ship::StandaloneLanguage::c : ship::StandaloneLanguage::cpp,
                                      device.plan_facts,
                                      device.facts.at("isa"),
                                      goods.record};
  HONE_TRY(const auto files, ship::standalone_files(parts));
  ShipResult result;
  HONE_TRY(result.folder, folder_to_ship_into(request, *bench.kernel));
  for (const auto& [name, text] : files) {
    HONE_CHECK(write_file(result.folder / name, text));
    result.files.push_back(name);
  }
  result.function = ship::standalone_name(*bench.kernel);
  result.language = request.as;
  result.origin = goods.record.origin;
  result.sizes = goods.sizes;
  result.point = goods.point;
  result.busy = goods.busy;
  return result;
}

Json to_json(const ShipResult& result)
{
  return {{"folder", result.folder.string()},
          {"function", result.function},
          {"language", result.language},
          {"origin", result.origin},
          {"sizes", result.sizes},
          {"point", point_json(result.point)},
          {"files", result.files},
          {"busy", result.busy}};
}

} // namespace hone::app
