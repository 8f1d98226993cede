// hone mcp: the use cases for coding agents, over the Model Context Protocol.
#include "cli/command_line.h"
#include "serve/serve.h"

#include <memory>

namespace hone::cli {

void add_mcp(CommandLine& line)
{
  auto options = std::make_shared<serve::ServeOptions>();
  CLI::App* command = line.add(
    "mcp", "Serve coding agents over the Model Context Protocol (MCP)",
    {"hone mcp", "hone mcp --root ~/kernels --allow-writes", "hone mcp --http 8787 --token-file ~/.hone-token"},
    [options](Context& context) -> Result<Exit> {
      HONE_CHECK(serve::serve(*options, context.settings, context.stop,
                              [&context](std::string_view text) { context.terminal.note(text); }));
      return Exit::ok;
    });
  command->add_option("--root", options->roots, "folder that agents may name paths in (default: the current one)");
  command->add_flag("--allow-writes", options->allow_writes,
                    "agents may write below the roots, not only into folders of workflows");
  command->add_option("--http", options->port, "HTTP on this port of 127.0.0.1 (0: any free one), not stdin and stdout")
    ->check(CLI::Range(0, 65535));
  command->add_option(
    "--token-file", options->token_file,
    "file with the token of HTTP, made where it is missing (default: $HONE_MCP_TOKEN, else a fresh one)");
  line.add_setting(command, "state", "folder for workflows instead of KERNEL/.hone");
}

} // namespace hone::cli
