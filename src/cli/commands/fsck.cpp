// hone fsck: everything that is stored for a kernel, looked through for damage; and mended as far as nothing is lost by
// it.
#include "cli/kernel_path.h"
#include "cli/workbench.h"
#include "gate/cache_check.h"
#include "workflow/store_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::cli {

namespace {

struct FsckOptions {
  std::string kernel = ".";
  bool repair = false;
};

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

std::string_view name_of(const Finding& finding)
{
  return finding.mended ? "mended" : finding.kind == Finding::Kind::damage ? "damage" : "leftover";
}

void print_findings(const Terminal& terminal, const Findings& findings)
{
  for (const Finding& finding : findings) {
    const Tone tone = finding.mended ? Tone::good : finding.kind == Finding::Kind::damage ? Tone::bad : Tone::warning;
    terminal.out(fmt::format("{} {}: {}\n  {}", terminal.paint(tone, name_of(finding)), finding.where, finding.what,
                             finding.way_out));
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

Result<Exit> fsck(Context& context, const FsckOptions& options)
{
  HONE_TRY(const fs::path state, state_of(context, options.kernel));
  HONE_TRY(StoreCheck store, check_store(state, options.repair, waits_for_another(context)));
  CacheCheck cache = check_cache(cache_folder(), options.repair);
  Findings findings = std::move(store.findings);
  std::ranges::move(cache.findings, std::back_inserter(findings));
  check_temporaries(options.repair, findings);

  const Terminal& terminal = context.terminal;
  for (const std::string& busy : store.busy) {
    terminal.note(busy + ": what it is just writing is not looked at");
  }
  print_findings(terminal, findings);
  const auto open = [](const Finding& finding) { return finding.kind == Finding::Kind::damage && !finding.mended; };
  const auto damaged = std::ranges::count_if(findings, open);
  terminal.out(fmt::format("{} {} workflow{} under {}, {} cached file{} in {}",
                           damaged == 0 ? terminal.paint(Tone::good, "sound:") : terminal.paint(Tone::bad, "damaged:"),
                           store.workflows.size(), store.workflows.size() == 1 ? "" : "s", state.string(), cache.files,
                           cache.files == 1 ? "" : "s", cache_folder().string()));
  Json workflows = Json::array();
  for (const fs::path& folder : store.workflows) {
    workflows.push_back(folder.string());
  }
  context.print_json({{"sound", damaged == 0},
                      {"state", state.string()},
                      {"workflows", workflows},
                      {"busy", store.busy},
                      {"cache", cache_folder().string()},
                      {"cached_files", cache.files},
                      {"findings", findings_json(findings)}});
  return damaged == 0 ? Exit::ok : Exit::negative;
}

} // namespace

void add_fsck(CommandLine& line)
{
  auto options = std::make_shared<FsckOptions>();
  CLI::App* command =
    line.add("fsck", "Look through everything that is stored for a kernel, and mend it",
             {"hone fsck kernels/matmul            # says what is damaged; changes nothing",
              "hone fsck kernels/matmul --repair   # sets aside what is damaged, restores what can be"},
             [options](Context& context) { return fsck(context, *options); });
  const auto set_kernel = [&line, options](const std::string& value) {
    options->kernel = value;
    line.near() = folder_of(value).string();
  };
  command->add_option_function<std::string>("KERNEL", set_kernel,
                                            "kernel folder, kernel.toml, or a shipped kernel's name; default: here");
  command->add_flag("--repair", options->repair,
                    "do what loses nothing: set aside, restore, remove half-written files");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
}

} // namespace hone::cli
