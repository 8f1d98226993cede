// hone keep: a candidate that somebody wrote becomes a checkpoint.
#include "app/keep_candidate.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> keep(Context& context, const KeepRequest& request)
{
  HONE_TRY(const KeptCandidate kept, keep_candidate(context, request));
  const record::Verdict& verdict = kept.judged.record.verdict;
  context.terminal.out(fmt::format("{} on {}: {}", kept.step, short_id(kept.judged.parent), verdict_text(verdict)));
  if (kept.judged.checkpoint.empty()) {
    if (const std::string evidence = evidence_text(context.terminal, verdict); !evidence.empty()) {
      context.terminal.out(evidence);
    }
  } else {
    context.terminal.out(text_of(kept));
  }
  context.print_json(to_json(kept));
  return verdict.status == record::Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_keep(CommandLine& line)
{
  auto options = std::make_shared<KeepRequest>();
  CLI::App* command = line.add("keep", "Judge a candidate that you wrote, and keep it as a checkpoint",
                               {"hone checkout kernels/matmul best --out mine    # edit mine/device.cpp",
                                "hone keep mine --kernel kernels/matmul --step \"unroll k by hand\""},
                               [options](Context& context) { return keep(context, *options); });
  command->add_option("CANDIDATE", options->candidate, "folder with device.cpp, macros.h, launch.toml")->required();
  command->add_option("--onto", options->onto,
                      "the checkpoint that it is judged against, and its parent (default: best)");
  command->add_option("--step", options->step, "what was done, in a few words (default: edit)");
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
