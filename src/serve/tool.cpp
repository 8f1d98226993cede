#include "serve/tool.h"

#include "serve/tools/tool_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

constexpr std::int64_t k_usual_wait_s = 20;
constexpr int k_look_again_s = 5;

ToolAnswer answer_of(const JobView& view)
{
  ToolAnswer answer;
  answer.content = {{"job", view.id},
                    {"tool", view.tool},
                    {"subject", view.subject},
                    {"state", name_of(view.state)},
                    {"seconds", view.seconds}};
  Json& content = answer.content;
  if (view.outcome) {
    content["summary"] = view.outcome->summary;
    content["result"] = view.outcome->result;
  }
  if (!view.message.empty()) {
    content["progress"] = view.message;
  }
  if (!view.note.empty()) {
    content["note"] = view.note;
  }
  if (!view.lines.empty()) {
    content["lines"] = view.lines;
  }
  if (view.error) {
    content["error"] = error_json(*view.error);
    answer.is_error = view.state == JobState::failed;
  }
  if (!view.ended()) {
    content["next"] = fmt::format("call job {{\"job\": \"{}\", \"wait_s\": 20}}", view.id);
  }
  return answer;
}

} // namespace

Json error_json(const Error& error)
{
  Json json{{"message", error.message}};
  if (!error.hint.empty()) {
    json["hint"] = error.hint;
  }
  if (!error.place.file.empty()) {
    json["place"] = {{"file", error.place.file}, {"line", error.place.line}, {"column", error.place.column}};
  }
  return json;
}

const std::vector<Tool>& tools()
{
  static const std::vector<Tool> list = all_tools();
  return list;
}

const Tool* find_tool(std::string_view name)
{
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

Json tool_json(const Tool& tool)
{
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", file_schema(tool.title, tool.input)},
          {"outputSchema", file_schema(tool.title, tool.output)},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.read_only},
            {"destructiveHint", false},
            {"idempotentHint", tool.idempotent},
            {"openWorldHint", false}}}};
}

ToolAnswer run_as_job(const ToolCall& call, const std::string& tool, const std::string& subject, Jobs::Work work)
{
  return wait_for_job(call, call.place.jobs().start(tool, subject, std::move(work)), true);
}

ToolAnswer wait_for_job(const ToolCall& call, const std::string& id, bool with_job)
{
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(integer_in(call.arguments, "wait_s", k_usual_wait_s));
  std::optional<JobView> view = call.place.jobs().look(id);
  std::int64_t told = 0;
  while (view && !view->ended()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || call.exchange.stop.stop_requested()) {
      break;
    }
    // Looked at again now and then even if nothing changes, so that a client sees that somebody is there.
    const auto pause = std::min<std::chrono::milliseconds>(left, std::chrono::seconds(k_look_again_s));
    view = call.place.jobs().wait(id, view->changes, pause, call.exchange.stop);
    if (view && call.exchange.notify && !view->ended()) {
      told = std::max(told + 1, view->changes);
      call.exchange.notify(static_cast<double>(told), !view->note.empty() ? view->note : view->message);
    }
  }
  if (call.exchange.stop.stop_requested() && with_job) {
    call.place.jobs().cancel(id);
  }
  if (!view) {
    const Error error{
      fmt::format("there is no job '{}'", printable(id)), "the tool job without arguments lists the last ones", {}};
    return {{{"error", error_json(error)}}, true};
  }
  return answer_of(*view);
}

Json job_output_schema(Json result)
{
  const std::vector<std::string> states{"queued", "running", "done", "failed", "cancelled"};
  return output_schema("A job: its result where it has ended, else where it stands.",
                       {{"job", text_schema("Its handle."), true},
                        {"tool", text_schema("What it does.")},
                        {"subject", text_schema("On what.")},
                        {"state", words_schema("Where it stands.", states), true},
                        {"seconds", {{"description", "Since it began to run."}, {"type", "number"}}},
                        {"summary", text_schema("The result in a sentence.")},
                        {"result", std::move(result)},
                        {"progress", text_schema("What it is doing now.")},
                        {"note", text_schema("Why it waits.")},
                        {"lines", list_schema("Steps that have ended and warnings.", text_schema("One."))},
                        {"error", any_object_schema("message, hint and place of what went wrong.")},
                        {"next", text_schema("The call to make next.")}});
}

} // namespace hone::serve
