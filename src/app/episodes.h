// Episodes of the policy `agent` on a kernel: what there are, and the same as training data.
#pragma once

#include "agent/trajectory.h"
#include "app/workbench.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct EpisodesRequest {
  KernelRequest kernel;
  agent::TrajectoryForm form = agent::TrajectoryForm::openai;
  std::string out; // a JSONL file; empty: none is written
  bool force = false;
};

struct KeptEpisode {
  fs::path file;
  agent::Transcript transcript;
};

// The gate's figures of an episode that ended: log2 of the published ratio over the start; 0 where nothing was faster.
std::optional<double> reward_of(const agent::Transcript& transcript);

// In the order of their files' names. Those on all backends.
Result<std::vector<KeptEpisode>> episodes(Context& context, const EpisodesRequest& request);
Json to_json(const KeptEpisode& episode);

} // namespace hone::app
