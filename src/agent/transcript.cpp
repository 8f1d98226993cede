#include "agent/transcript.h"

#include "llm/message_json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace hone::agent {
namespace {

constexpr std::array k_ends{EpisodeEnd::finished,       EpisodeEnd::calls,        EpisodeEnd::tokens,
                            EpisodeEnd::device_seconds, EpisodeEnd::wall_seconds, EpisodeEnd::no_calls,
                            EpisodeEnd::no_answer,      EpisodeEnd::unreachable,  EpisodeEnd::stopped};

EpisodeEnd end_named(const std::string& name)
{
  for (const EpisodeEnd end : k_ends) {
    if (name_of(end) == name) {
      return end;
    }
  }
  return EpisodeEnd::stopped;
}

Result<void> add_line(const fs::path& file, const Json& json)
{
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool written = out >= 0 && ::write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const bool safe = written && ::fsync(out) == 0;
  if (out >= 0) {
    ::close(out);
  }
  if (!safe) {
    return fail("cannot keep the conversation with the model", "is the disk full?", {file.string(), 0, 0});
  }
  return {};
}

Result<void> read_line(const Json& line, Transcript& transcript)
{
  Episode& episode = transcript.episode;
  if (line.contains("episode")) {
    const Json& head = line["episode"];
    episode.model = head.at("model").get<std::string>();
    episode.system = head.at("system").get<std::string>();
    for (const Json& tool : head.at("tools")) {
      HONE_TRY(llm::ModelTool read, llm::tool_from(tool));
      episode.tools.push_back(std::move(read));
    }
    transcript.about = head.value("about", Json::object());
  } else if (line.contains("turn")) {
    HONE_TRY(Turn turn, turn_from(line["turn"]));
    add(episode.spent, turn);
    episode.calls_in_text = episode.calls_in_text || !turn.raw.empty();
    episode.turns.push_back(std::move(turn));
  } else if (line.contains("end")) {
    episode.end = end_named(line["end"].at("end").get<std::string>());
    episode.why = line["end"].value("why", "");
    transcript.outcome = line["end"].value("outcome", Json::object());
    transcript.ended = true;
  } else {
    return fail("this line is no part of a transcript");
  }
  return {};
}

} // namespace

Json to_json(const Turn& turn)
{
  Json json = llm::to_json(turn.message);
  const auto set = [&](const char* name, const auto& value, const auto& none) {
    if (value != none) {
      json[name] = value;
    }
  };
  set("raw", turn.raw, std::string());
  set("reasoning", turn.reasoning, std::string());
  set("seconds", turn.seconds, 0.0);
  set("device_s", turn.device_s, 0.0);
  set("failed", turn.failed, false);
  set("finished", turn.finished, false);
  if (turn.message.role == llm::ModelMessage::Role::assistant) {
    json["usage"] = {{"prompt_tokens", turn.usage.prompt_tokens},
                     {"cached_tokens", turn.usage.cached_tokens},
                     {"answer_tokens", turn.usage.answer_tokens},
                     {"estimated", turn.usage.estimated}};
  }
  return json;
}

Result<Turn> turn_from(const Json& json)
{
  Turn turn;
  HONE_TRY(turn.message, llm::message_from(json));
  try {
    turn.raw = json.value("raw", "");
    turn.reasoning = json.value("reasoning", "");
    turn.seconds = json.value("seconds", 0.0);
    turn.device_s = json.value("device_s", 0.0);
    turn.failed = json.value("failed", false);
    turn.finished = json.value("finished", false);
    if (json.contains("usage")) {
      const Json& usage = json["usage"];
      turn.usage = {usage.at("prompt_tokens").get<std::int64_t>(), usage.at("cached_tokens").get<std::int64_t>(),
                    usage.at("answer_tokens").get<std::int64_t>(), usage.at("estimated").get<bool>()};
    }
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no turn of an episode: {}", error.what()));
  }
  return turn;
}

Result<void> begin_transcript(const fs::path& file, const Episode& episode, const Json& about)
{
  Json tools = Json::array();
  for (const llm::ModelTool& tool : episode.tools) {
    tools.push_back(llm::to_json(tool));
  }
  return add_line(
    file, {{"episode",
            {{"model", episode.model}, {"system", episode.system}, {"tools", std::move(tools)}, {"about", about}}}});
}

Result<void> add_turn(const fs::path& file, const Turn& turn)
{
  return add_line(file, {{"turn", to_json(turn)}});
}

Result<void> end_transcript(const fs::path& file, const Episode& episode, const Json& outcome)
{
  return add_line(file, {{"end", {{"end", name_of(episode.end)}, {"why", episode.why}, {"outcome", outcome}}}});
}

Result<void> drop_torn_line(const fs::path& file)
{
  HONE_TRY(const std::string text, read_file(file));
  const std::size_t whole = text.rfind('\n') + 1; // 0 where there is none
  std::error_code failed;
  if (whole < text.size()) {
    fs::resize_file(file, whole, failed);
  }
  return failed ? fail(fmt::format("cannot mend the conversation with the model: {}", failed.message()), {},
                       {file.string(), 0, 0})
                : Result<void>();
}

Result<Transcript> read_transcript(const fs::path& file)
{
  HONE_TRY(const std::string text, read_file(file));
  Transcript transcript;
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Json line = Json::parse(lines[i], nullptr, false);
    if (line.is_discarded() && i + 1 == lines.size()) { // empty, or cut off
      break;
    }
    Result<void> read;
    try {
      read = line.is_object() ? read_line(line, transcript) : fail("this line is no part of a transcript");
    } catch (const Json::exception& error) {
      read = fail(fmt::format("this line is no part of a transcript: {}", error.what()));
    }
    if (!read) {
      read.error().place = {file.string(), static_cast<int>(i) + 1, 0};
      return std::unexpected(std::move(read.error()));
    }
  }
  if (transcript.episode.turns.empty() && transcript.episode.model.empty()) {
    return fail("this file holds no episode", "", {file.string(), 0, 0});
  }
  return transcript;
}

} // namespace hone::agent
