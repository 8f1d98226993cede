// hone fsck: everything that is stored for a kernel, looked through for damage; and mended as far as nothing is lost by
// it.
#include "app/fsck.h"

#include "app/kernel_path.h"
#include "cli/command_line.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct FsckOptions {
  std::string kernel = ".";
  bool repair = false;
};

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

Result<Exit> fsck_and_print(Context& context, const FsckOptions& options)
{
  HONE_TRY(const FsckResult result, fsck(context, options.kernel, options.repair));
  const Terminal& terminal = context.terminal;
  for (const std::string& busy : result.busy) {
    terminal.note(busy + ": what it is just writing is not looked at");
  }
  print_findings(terminal, result.findings);
  const bool sound = result.damaged() == 0;
  const std::size_t workflows = result.workflows.size();
  terminal.out(fmt::format("{} {} workflow{} under {}, {} cached file{} in {}",
                           sound ? terminal.paint(Tone::good, "sound:") : terminal.paint(Tone::bad, "damaged:"),
                           workflows, workflows == 1 ? "" : "s", result.state.string(), result.cached_files,
                           result.cached_files == 1 ? "" : "s", cache_folder().string()));
  context.print_json(to_json(result));
  return sound ? Exit::ok : Exit::negative;
}

} // namespace

void add_fsck(CommandLine& line)
{
  auto options = std::make_shared<FsckOptions>();
  CLI::App* command =
    line.add("fsck", "Look through everything that is stored for a kernel, and mend it",
             {"hone fsck kernels/matmul            # says what is damaged; changes nothing",
              "hone fsck kernels/matmul --repair   # sets aside what is damaged, restores what can be"},
             [options](Context& context) { return fsck_and_print(context, *options); });
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
