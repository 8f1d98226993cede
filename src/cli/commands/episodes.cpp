// hone episodes: what a model did as the policy `agent`, as a table or as training data.
#include "app/episodes.h"

#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {
namespace {

struct EpisodesOptions {
  EpisodesRequest request;
  std::string form = "openai";
};

Result<Exit> print_episodes(Context& context, EpisodesOptions options)
{
  const auto form = agent::trajectory_form_named(options.form);
  if (!form) {
    return fail(fmt::format("there is no format '{}'", options.form), "say openai or hf", Place{"--format", 0, 0});
  }
  options.request.form = *form;
  HONE_TRY(const std::vector<KeptEpisode> kept, episodes(context, options.request));
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{
    {"episode", "backend", "model", "tools", "end", "actions", "not done", "tokens", "faster"}};
  for (const KeptEpisode& episode : kept) {
    const Json json = to_json(episode);
    const std::string tools =
      json.value("placebo", false) ? "placebo" : std::to_string(json.value("tools", Json::array()).size());
    rows.push_back({json.value("episode", ""), json.value("backend", ""), json.value("model", ""), tools,
                    episode.transcript.ended ? json.value("end", "") : "interrupted",
                    std::to_string(json.value("calls", 0)), std::to_string(json.value("failed_calls", 0)),
                    std::to_string(json.value("prompt_tokens", 0) + json.value("answer_tokens", 0)),
                    json.contains("speedup") ? fmt::format("{:.3g}x", json["speedup"].get<double>()) : ""});
    list.push_back(json);
  }
  context.terminal.out(kept.empty()
                         ? "no episodes: `hone optimize KERNEL --policy agent --model PROVIDER/NAME` makes one"
                         : aligned_table(rows));
  if (!options.request.out.empty()) {
    context.terminal.out(fmt::format("{}: {} episodes for {}", options.request.out, kept.size(), options.form));
  }
  context.print_json({{"episodes", std::move(list)}, {"out", options.request.out}});
  return Exit::ok;
}

} // namespace

void add_episodes(CommandLine& line)
{
  auto options = std::make_shared<EpisodesOptions>();
  CLI::App* command =
    line.add("episodes", "List what a model did as the policy agent, or write it as training data",
             {"hone episodes kernels/matmul", "hone episodes kernels/matmul --out matmul.jsonl --format hf"},
             [options](Context& context) { return print_episodes(context, *options); });
  add_kernel_options(line, command, options->request.kernel);
  command->add_option("--out", options->request.out, "a JSONL file: an episode per line, with messages, tools, reward");
  command->add_option("--format", options->form, "openai (arguments as text) or hf (as objects)");
  command->add_flag("--force", options->request.force, "write over a file that is there");
}

} // namespace hone::cli
