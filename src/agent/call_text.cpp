#include "agent/call_text.h"

#include "agent/loose_json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <optional>

namespace hone::agent {
namespace {

constexpr std::string_view k_begin = "<tool_call>", k_end = "</tool_call>";
constexpr std::string_view k_think = "<think>", k_thought = "</think>";
constexpr std::string_view k_fence = "```";

// A block of code, and where the text goes on behind it.
struct Fenced {
  std::string_view text;
  std::size_t end = 0;
};

// The block that begins at `from`, blanks before it skipped.
std::optional<Fenced> block_at(std::string_view answer, std::size_t from)
{
  const std::size_t begin = answer.find_first_not_of(" \t\r\n", from);
  if (begin == std::string_view::npos || !answer.substr(begin).starts_with(k_fence)) {
    return std::nullopt;
  }
  const std::size_t line = answer.find('\n', begin);
  if (line == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t close = answer.find("\n```", line);
  if (close == std::string_view::npos) { // cut off, or the model forgot it
    return Fenced{answer.substr(line + 1), answer.size()};
  }
  const std::string_view text = close == line ? std::string_view() : answer.substr(line + 1, close - line);
  return Fenced{text, close + 1 + k_fence.size()};
}

std::optional<llm::ToolCall> call_in(std::string_view text, int id)
{
  const Json json = loose_json(text);
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) {
    return std::nullopt;
  }
  const Json arguments = json.contains("arguments")    ? json["arguments"]
                         : json.contains("parameters") ? json["parameters"]
                                                       : Json::object();
  return llm::ToolCall{std::to_string(id), json["name"].get<std::string>(),
                       arguments.is_string() ? arguments.get<std::string>() : arguments.dump()};
}

void take_block(llm::ToolCall& call, const Fenced& block)
{
  Json arguments = loose_json(call.arguments);
  if (arguments.is_object() && !arguments.contains("text")) {
    arguments["text"] = std::string(block.text);
    call.arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void take_reasoning(std::string& answer, CallText& read)
{
  for (;;) {
    const std::size_t end = answer.find(k_thought);
    const std::size_t begin = answer.find(k_think);
    if (end == std::string::npos) {
      if (begin != std::string::npos) { // cut off while it thought
        read.reasoning += answer.substr(begin + k_think.size());
        answer.resize(begin);
      }
      return;
    }
    // Some templates give the opening tag themselves.
    const std::size_t from = begin < end ? begin + k_think.size() : 0;
    read.reasoning += answer.substr(from, end - from);
    answer.erase(begin < end ? begin : 0, end + k_thought.size() - (begin < end ? begin : 0));
  }
}

// An object that is the whole of a block of code.
void take_fenced_calls(const std::string& answer, int first_id, CallText& read)
{
  for (std::size_t at = answer.find(k_fence); at != std::string::npos; at = answer.find(k_fence, at)) {
    const auto block = block_at(answer, at);
    if (!block) {
      return;
    }
    auto call = call_in(block->text, first_id + static_cast<int>(read.calls.size()));
    at = block->end;
    if (call && loose_json(block->text).contains("arguments")) {
      if (const auto code = block_at(answer, at); code && !call_in(code->text, 0)) {
        take_block(*call, *code);
        at = code->end;
      }
      read.calls.push_back(std::move(*call));
    }
  }
}

} // namespace

CallText read_calls(std::string_view given, int first_id)
{
  CallText read;
  std::string answer(given);
  take_reasoning(answer, read);
  std::size_t at = 0;
  for (std::size_t begin = answer.find(k_begin); begin != std::string::npos; begin = answer.find(k_begin, at)) {
    read.prose += answer.substr(at, begin - at);
    const std::size_t inside = begin + k_begin.size();
    const std::size_t close = answer.find(k_end, inside), next = answer.find(k_begin, inside);
    const std::size_t end = std::min({close, next, answer.size()}); // the closing tag is often a stop string
    const std::string_view text = std::string_view(answer).substr(inside, end - inside);
    const int id = first_id + static_cast<int>(read.calls.size());
    llm::ToolCall call = call_in(text, id).value_or(llm::ToolCall{std::to_string(id), "", std::string(trim(text))});
    at = close == end ? end + k_end.size() : end;
    if (const auto block = block_at(answer, at)) {
      take_block(call, *block);
      at = block->end;
    }
    read.calls.push_back(std::move(call));
  }
  if (read.calls.empty()) {
    take_fenced_calls(answer, first_id, read);
  }
  read.prose += answer.substr(std::min(at, answer.size()));
  read.prose = trim(read.prose);
  read.reasoning = trim(read.reasoning);
  return read;
}

std::string calls_explained(const std::vector<llm::ModelTool>& tools)
{
  std::string text =
    "# Actions\n\nYou ask for an action so, and then stop; its result is in the next message:\n\n"
    "<tool_call>\n{\"name\": \"ACTION\", \"arguments\": {\"NAME\": \"VALUE\"}}\n</tool_call>\n\n"
    "Where an action takes `text`, leave it out of the arguments and write it as a block of code right "
    "behind the call.\n\nThe actions, with the JSON schema of their arguments:\n\n<tools>\n";
  for (const llm::ModelTool& tool : tools) {
    const Json function{{"name", tool.name},
                        {"description", tool.description},
                        {"parameters", Json::parse(tool.parameters, nullptr, false)}};
    text += Json{{"type", "function"}, {"function", function}}.dump() + "\n";
  }
  return text + "</tools>\n";
}

std::string results_text(const std::vector<std::string>& results)
{
  std::string text;
  for (const std::string& result : results) {
    text += fmt::format("<tool_response>\n{}{}</tool_response>\n", result, result.ends_with('\n') ? "" : "\n");
  }
  return text;
}

} // namespace hone::agent
