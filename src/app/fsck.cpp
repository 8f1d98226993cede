#include "app/fsck.h"

#include "app/kernel_path.h"
#include "app/workbench.h"
#include "gate/cache_check.h"
#include "store/store_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hone::app {

namespace {

// Folders that killed processes left in the temporary folder.
void check_temporaries(bool repair, Findings& findings)
{
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  for (const fs::path& dead : abandoned_in(folder, "hone-")) {
    const bool removed = repair && fs::remove_all(dead, error) > 0 && !error;
    findings.push_back({Finding::Kind::leftover, dead.string(), "left behind by a process that ended",
                        removed ? "removed" : "nobody uses it: `hone fsck --repair` removes it", removed});
  }
}

Json findings_json(const Findings& findings)
{
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"kind", finding.kind == Finding::Kind::damage ? "damage" : "leftover"},
                    {"where", finding.where},
                    {"what", finding.what},
                    {"way_out", finding.way_out},
                    {"mended", finding.mended}});
  }
  return list;
}

} // namespace

// The kernel's own files may be what is damaged: its folder is all that is asked for.
Result<fs::path> state_of(const Context& context, const std::string& given)
{
  const fs::path path = kernel_path(given);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return fail(fmt::format("there is no kernel '{}'", given),
                "give a kernel's folder, its kernel.toml, or the name of a shipped kernel", Place{"KERNEL", 0, 0});
  }
  const std::string& state = context.settings.text("state");
  const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
  return state.empty() ? folder / ".hone" : fs::path(state);
}

std::size_t FsckResult::damaged() const
{
  return static_cast<std::size_t>(std::ranges::count_if(
    findings, [](const Finding& finding) { return finding.kind == Finding::Kind::damage && !finding.mended; }));
}

Result<FsckResult> fsck(const Context& context, const std::string& kernel, bool repair)
{
  FsckResult result;
  HONE_TRY(result.state, state_of(context, kernel));
  HONE_TRY(store::StoreCheck store, store::check_store(result.state, repair, waits_for_another(context)));
  gate::CacheCheck cache = gate::check_cache(cache_folder(), repair);
  result.workflows = std::move(store.workflows);
  result.busy = std::move(store.busy);
  result.cached_files = cache.files;
  result.findings = std::move(store.findings);
  std::ranges::move(cache.findings, std::back_inserter(result.findings));
  check_temporaries(repair, result.findings);
  return result;
}

Json to_json(const FsckResult& result)
{
  Json workflows = Json::array();
  for (const fs::path& folder : result.workflows) {
    workflows.push_back(folder.string());
  }
  return {{"sound", result.damaged() == 0},
          {"state", result.state.string()},
          {"workflows", workflows},
          {"busy", result.busy},
          {"cache", cache_folder().string()},
          {"cached_files", result.cached_files},
          {"findings", findings_json(result.findings)}};
}

} // namespace hone::app
