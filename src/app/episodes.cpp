#include "app/episodes.h"

#include "app/agent_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::app {
namespace {

Json metadata_of(const KeptEpisode& episode)
{
  Json metadata = episode.transcript.about;
  metadata["episode"] = episode.file.stem().string();
  metadata["model"] = episode.transcript.episode.model;
  metadata["ended"] = episode.transcript.ended;
  metadata["end"] = name_of(episode.transcript.episode.end);
  const agent::EpisodeSpent& spent = episode.transcript.episode.spent;
  metadata["calls"] = spent.calls;
  metadata["failed_calls"] = spent.failed_calls;
  metadata["answers"] = spent.answers;
  metadata["prompt_tokens"] = spent.prompt_tokens;
  metadata["answer_tokens"] = spent.answer_tokens;
  metadata["model_seconds"] = spent.model_s;
  metadata["device_seconds"] = spent.device_s;
  metadata.update(episode.transcript.outcome);
  return metadata;
}

Result<void> write_trajectories(const EpisodesRequest& request, const std::vector<KeptEpisode>& episodes)
{
  std::error_code ignored;
  if (!request.force && fs::exists(request.out, ignored)) {
    return fail(fmt::format("{} exists already", request.out), "give another name, or --force", Place{"--out", 0, 0});
  }
  std::string lines;
  for (const KeptEpisode& episode : episodes) {
    const Json line =
      agent::trajectory(episode.transcript, request.form, reward_of(episode.transcript), metadata_of(episode));
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return write_file(request.out, lines);
}

} // namespace

std::optional<double> reward_of(const agent::Transcript& transcript)
{
  const double speedup = transcript.outcome.value("speedup", 0.0);
  return transcript.ended && speedup > 0 ? std::optional(std::log2(std::max(speedup, 1.0))) : std::nullopt;
}

Result<std::vector<KeptEpisode>> episodes(Context& context, const EpisodesRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(episodes_folder(bench), ignored)) {
    if (entry.path().extension() == ".jsonl") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<KeptEpisode> kept;
  for (const fs::path& file : files) {
    auto transcript = agent::read_transcript(file);
    if (!transcript) { // one that is damaged hides no others
      context.observer->warning(transcript.error().text());
      continue;
    }
    kept.push_back({file, std::move(*transcript)});
  }
  if (!request.out.empty()) {
    HONE_CHECK(write_trajectories(request, kept));
  }
  return kept;
}

Json to_json(const KeptEpisode& episode)
{
  Json json = metadata_of(episode);
  const std::optional<double> reward = reward_of(episode.transcript);
  json["reward"] = reward ? Json(*reward) : Json();
  json["file"] = episode.file.string();
  return json;
}

} // namespace hone::app
