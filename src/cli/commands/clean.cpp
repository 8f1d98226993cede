// hone clean: says what takes up room and may go; with --yes it goes.
#include "app/clean.h"

#include "cli/called_as.h"
#include "cli/format.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

std::string fate_of(const Removable& item, bool remove)
{
  return !item.kept.empty() ? "stays: " + item.kept : !remove ? "would go" : item.removed ? "removed" : "stays";
}

Result<Exit> run_clean(Context& context, CleanRequest request, bool yes)
{
  request.remove = yes;
  HONE_TRY(const CleanResult result, clean(context, request));
  const Terminal& terminal = context.terminal;
  for (const Removable& item : result.items) {
    terminal.out(fmt::format("{:>10}  {}\n            {}; {}", format_bytes(static_cast<double>(item.bytes)),
                             item.path.string(), item.what, fate_of(item, yes)));
  }
  if (result.items.empty()) {
    terminal.out("there is nothing to remove");
  } else if (yes) {
    terminal.out(fmt::format("{} freed", format_bytes(static_cast<double>(result.bytes()))));
  } else {
    std::vector<std::string> words{"clean"};
    if (!request.kernel.empty()) {
      words.push_back(request.kernel);
    }
    if (context.settings.is_from_flag("state")) {
      words.insert(words.end(), {"--state", context.settings.text("state")});
    }
    words.emplace_back("--yes");
    terminal.out(fmt::format("{} would be freed; nothing was removed: {}",
                             format_bytes(static_cast<double>(result.bytes())), command_to_paste(words)));
  }
  context.print_json(to_json(result));
  return Exit::ok;
}

} // namespace

void add_clean(CommandLine& line)
{
  auto options = std::make_shared<CleanRequest>();
  CLI::App* command = line.add("clean", "Say what takes up room on the disk and may go; --yes removes it",
                               {"hone clean", "hone clean --yes", "hone clean kernels/matmul --yes"},
                               [&line, options](Context& context) { return run_clean(context, *options, line.yes()); });
  command->add_option("KERNEL", options->kernel, "the workflows of this kernel; without: the cache and leftovers");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
  command->get_option("--yes")->description("remove it");
}

} // namespace hone::cli
