// hone ship: a checkpoint's candidate as a folder that stands alone.
#include "app/ship.h"

#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> ship(Context& context, const ShipRequest& request)
{
  HONE_TRY(const ShipResult result, ship_checkpoint(context, request));
  const std::string folder = result.folder.string();
  context.terminal.out(fmt::format("wrote {}() to {}\nbuild and check it: cmake -S {} -B {}/build && cmake --build "
                                   "{}/build && ctest --test-dir {}/build",
                                   result.function, folder, folder, folder, folder, folder));
  if (!result.busy.empty()) {
    context.terminal.out(context.terminal.paint(Tone::warning, result.busy + "; `hone verify` measures again"));
  }
  context.print_json(to_json(result));
  return Exit::ok;
}

} // namespace

void add_ship(CommandLine& line)
{
  auto options = std::make_shared<ShipRequest>();
  CLI::App* command =
    line.add("ship", "Write a checkpoint as a function in C or C++ that needs no Hone",
             {"hone ship kernels/matmul --as c --out mine", "hone ship kernels/softmax --as cpp --checkpoint naive"},
             [options](Context& context) { return ship(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("--as", options->as, "c or cpp; default c")->check(CLI::IsMember({"c", "cpp"}));
  command->add_option("--out", options->folder, "folder to write; default NAME-c or NAME-cpp");
  command->add_option("--checkpoint", options->checkpoint,
                      "id, prefix, branch, best or start; naive: the generated candidate; or a candidate folder");
}

} // namespace hone::cli
