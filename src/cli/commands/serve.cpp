// hone serve: a page on this machine that shows runs while they go on.
#include "serve/serve.h"

#include "cli/command_line.h"
#include "cli/streams.h"

#include <memory>

namespace hone::cli {

void add_serve(CommandLine& line)
{
  struct Options {
    serve::LiveOptions live;
    bool ui = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = line.add("serve", "Show runs while they go on, in the browser",
                               {"hone serve --ui", "hone serve --ui --root ~/kernels --port 8080"},
                               [options](Context& context) -> Result<Exit> {
                                 HONE_CHECK(serve::serve_live_page(
                                   options->live, context.settings, context.stop, [&context](std::string_view text) {
                                     context.terminal.out(text);
                                     static_cast<void>(finish_out()); // who waits for it reads it now
                                   }));
                                 return Exit::ok;
                               });
  command->add_flag("--ui", options->ui, "a page for people: runs, climbs, differences, cost")->required();
  command->add_option("--root", options->live.roots, "folder below which kernels are (default: the current one)");
  command->add_option("--port", options->live.port, "port of 127.0.0.1 (default: any free one)")
    ->check(CLI::Range(0, 65535));
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
}

} // namespace hone::cli
