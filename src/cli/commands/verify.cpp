// hone verify: checkpoints of a workflow through the gate again, on this machine, now.
#include "app/verify.h"

#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

void print_verified(const Terminal& terminal, const VerifiedCheckpoint& verified)
{
  const store::Checkpoint& checkpoint = verified.checkpoint;
  terminal.out(
    fmt::format("{} {} {}: then {}; now {}",
                terminal.paint(verified.holds ? Tone::good : Tone::bad, verified.holds ? "holds" : "DIFFERS"),
                short_id(checkpoint.id), checkpoint.transformation, verdict_text(checkpoint.record.verdict),
                verdict_text(verified.now.verdict)));
  for (const auto& [record, when] : {std::pair{&checkpoint.record, "recorded"}, std::pair{&verified.now, "verified"}}) {
    if (const std::string busy = busy_text(*record, when); !busy.empty()) {
      terminal.out("  " + terminal.paint(Tone::warning, busy));
    }
  }
}

Result<Exit> verify_checkpoints(Context& context, const VerifyRequest& request)
{
  HONE_TRY(const VerifyResult result, verify(context, request, [&](const VerifiedCheckpoint& verified) {
             print_verified(context.terminal, verified);
           }));
  if (result.stopped) {
    return Exit::interrupted;
  }
  context.print_json(to_json(result));
  return result.holds ? Exit::ok : Exit::negative;
}

} // namespace

void add_verify(CommandLine& line)
{
  auto options = std::make_shared<VerifyRequest>();
  CLI::App* command = line.add("verify", "Put a workflow's checkpoints through the gate again",
                               {"hone verify kernels/matmul", "hone verify kernels/matmul best"},
                               [options](Context& context) { return verify_checkpoints(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "only this one: id, prefix, branch, best or start");
}

} // namespace hone::cli
