#include "agent/episode.h"

namespace hone::agent {

std::string_view name_of(EpisodeEnd end)
{
  switch (end) {
  case EpisodeEnd::finished:
    return "finished";
  case EpisodeEnd::calls:
    return "calls";
  case EpisodeEnd::tokens:
    return "tokens";
  case EpisodeEnd::device_seconds:
    return "device seconds";
  case EpisodeEnd::wall_seconds:
    return "wall time";
  case EpisodeEnd::no_calls:
    return "no calls";
  case EpisodeEnd::no_answer:
    return "no answer";
  case EpisodeEnd::unreachable:
    return "unreachable";
  case EpisodeEnd::stopped:
    break;
  }
  return "stopped";
}

void add(EpisodeSpent& spent, const Turn& turn)
{
  if (turn.message.role == llm::ModelMessage::Role::assistant) {
    spent.answers += 1;
    spent.prompt_tokens += turn.usage.prompt_tokens;
    spent.answer_tokens += turn.usage.answer_tokens;
    spent.model_s += turn.seconds;
  } else if (turn.message.role == llm::ModelMessage::Role::tool) {
    spent.calls += 1;
    spent.failed_calls += turn.failed ? 1 : 0;
    spent.device_s += turn.device_s;
  }
}

} // namespace hone::agent
