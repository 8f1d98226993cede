#include "agent/transcript.h"
#include "policy/agent/actions.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "rewrite/agent_text.h"
#include "util/hash.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

constexpr int k_most_episodes = 1000; // on one task

// The first episode on this task that did not end; else a new one.
struct EpisodeFile {
  fs::path file;
  int number = 0;
  std::vector<agent::Turn> earlier;
};

Result<EpisodeFile> episode_file(const AgentSetting& setting, const std::string& key)
{
  std::error_code ignored;
  fs::create_directories(setting.transcripts, ignored);
  for (int number = 0; number < k_most_episodes; ++number) {
    EpisodeFile found{setting.transcripts / fmt::format("{}-{}.jsonl", key.substr(0, 12), number), number, {}};
    if (!fs::exists(found.file, ignored)) {
      return found;
    }
    HONE_TRY(agent::Transcript transcript, agent::read_transcript(found.file));
    if (!transcript.ended) {
      HONE_CHECK(agent::drop_torn_line(found.file));
      found.earlier = std::move(transcript.episode.turns);
      return found;
    }
  }
  return fail(fmt::format("there are {} episodes on this task", k_most_episodes),
              "remove some of them, or work in another folder (--state)", {setting.transcripts.string(), 0, 0});
}

// What an episode is about, for those who read its file.
Json about(const PolicyContext& context, const AgentSetting& setting)
{
  return {{"kernel", context.kernel->name},
          {"backend", context.backend.name()},
          {"sizes", context.recipe.sizes},
          {"threads", context.recipe.threads},
          {"tools", setting.tools},
          {"placebo", setting.placebo},
          {"environment", context.environment}};
}

// What came of it: figures of the gate only.
Json outcome_json(const PolicyContext& context, const PolicyOutcome& outcome)
{
  Json json{{"start", outcome.start}, {"best", outcome.best}, {"speedup", 1.0}, {"at_least", 1.0}};
  if (outcome.final_record && outcome.best != outcome.start) {
    const Judgement judgement = judgement_of(outcome.final_record->verdict, context.recipe.regime);
    json["speedup"] = judgement.correct ? judgement.ratio : 1.0;
    json["at_least"] = judgement.correct ? judgement.low : 1.0;
  }
  return json;
}

class AgentPolicy final : public Policy {
public:
  std::string_view name() const override { return "agent"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    if (context.agent == nullptr) {
      return fail("the policy 'agent' needs a model that works", "name one: --model PROVIDER/NAME (docs/agent.md)",
                  Place{"--policy", 0, 0});
    }
    const AgentSetting& setting = *context.agent;
    HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_publication));
    HONE_TRY(const SearchNode start, search.establish_start(record::Depth::glance));
    HONE_TRY(const SearchNode base, search.establish_base(start));
    Workspace workspace{search, setting, start, base, base.checkpoint.candidate.files};
    agent::EpisodeSpec spec = setting.model;
    const rewrite::OptimizationTarget target{context.recipe.sizes, context.recipe.threads, context.device_facts};
    HONE_TRY(const rewrite::AgentTexts texts,
             rewrite::agent_texts(setting.prompts, *context.kernel, base.checkpoint.candidate,
                                  context.backend.dialect(), target, !setting.tools.empty(), setting.limits));
    spec.system = texts.system;
    spec.task = texts.task;
    spec.actions = agent_actions(workspace);
    spec.limits.wall_seconds = std::min(spec.limits.wall_seconds.value_or(1e9), search.search_seconds_left());
    HONE_TRY(EpisodeFile kept, episode_file(setting, key_of(spec, setting)));
    const bool is_new = kept.earlier.empty();
    spec.earlier = std::move(kept.earlier);
    spec.sample = kept.number;
    spec.turn = [&](const agent::Turn& turn) -> Result<void> {
      HONE_CHECK(agent::add_turn(kept.file, turn));
      return setting.model.turn ? setting.model.turn(turn) : Result<void>();
    };
    if (is_new) {
      agent::Episode head{.model = spec.model, .system = spec.system};
      std::ranges::transform(spec.actions, std::back_inserter(head.tools), agent::tool_of);
      HONE_CHECK(agent::begin_transcript(kept.file, head, about(context, setting)));
    }
    auto episode = agent::run_episode(spec);
    HONE_TRY(PolicyOutcome outcome,
             conclude(search, start, base, episode ? Result<void>() : std::unexpected(episode.error())));
    if (episode && episode->end != agent::EpisodeEnd::stopped) {
      HONE_CHECK(agent::end_transcript(kept.file, *episode, outcome_json(context, outcome)));
      outcome.note = summary(*episode);
    }
    return outcome;
  }

private:
  static std::string key_of(const agent::EpisodeSpec& spec, const AgentSetting& setting)
  {
    std::string all = spec.model + "\n" + spec.system + "\n" + spec.task + (setting.placebo ? "\nplacebo" : "");
    for (const agent::Action& action : spec.actions) {
      all += "\n" + agent::arguments_schema(action).dump();
    }
    return sha256(all);
  }

  static std::string summary(const agent::Episode& episode)
  {
    const agent::EpisodeSpent& spent = episode.spent;
    return fmt::format("the agent ended ({}): {} actions ({} not carried out), {} answers, {} + {} tokens", episode.why,
                       spent.calls, spent.failed_calls, spent.answers, spent.prompt_tokens, spent.answer_tokens);
  }
};

} // namespace

std::unique_ptr<Policy> make_agent_policy()
{
  return std::make_unique<AgentPolicy>();
}

} // namespace hone::policy
