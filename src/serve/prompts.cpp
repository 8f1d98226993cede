#include "serve/prompts.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace hone::serve {

namespace {

struct PromptArgument {
  std::string name, description, otherwise;
  bool required = false;
};

struct Prompt {
  std::string name, title, description;
  std::vector<PromptArgument> arguments;
  std::string text; // {NAME} stands for an argument
};

const std::vector<Prompt>& prompts()
{
  static const std::vector<Prompt> list{
    {"explain_candidate",
     "Explain a candidate",
     "What a candidate does, what bounds it, and what to try next.",
     {{"kernel", "As list_kernels calls it.", "", true}, {"candidate", "Which one; default: best.", "best", false}},
     "Explain the candidate '{candidate}' of the kernel '{kernel}'. Read it with read_candidate, and the kernel with "
     "read_kernel. Look at it with profile_candidate. Say in this order: what bounds it and by which figure you know; "
     "what "
     "its code does differently from the plain candidate, by source line; which two steps of list_steps would relieve "
     "what "
     "bounds it. Do not state a figure that no tool returned."},
    {"optimise_kernel",
     "Make a kernel fast",
     "A whole climb: look, change, prove, measure, export.",
     {{"kernel", "As list_kernels calls it.", "", true},
      {"goal", "When to stop.", "two further steps bring nothing", false}},
     "Make the kernel '{kernel}' fast. Stop when: {goal}.\n"
     "1. read_kernel: what it computes, and the contract of a candidate.\n"
     "2. profile_candidate: what bounds the best candidate so far.\n"
     "3. Choose one change that relieves it. list_steps has the catalogue: apply_step carries one out. For a change "
     "that is "
     "not there, write_candidate from 'best', then run_candidate. A wrong candidate names the place of the mismatch: "
     "mend "
     "it and run it again.\n"
     "4. Keep the change only if the comparison says FAST. Then go on with 2.\n"
     "5. At the end run_candidate with depth 'full', compare with 'libraries', and ship the best.\n"
     "Change one thing at a time. Believe only what the tools measured, with its interval."},
  };
  return list;
}

std::unexpected<RpcError> invalid(std::string message)
{
  return std::unexpected(RpcError{RpcCode::invalid_params, std::move(message)});
}

} // namespace

Json prompts_list()
{
  Json list = Json::array();
  for (const Prompt& prompt : prompts()) {
    Json arguments = Json::array();
    for (const PromptArgument& argument : prompt.arguments) {
      arguments.push_back(
        {{"name", argument.name}, {"description", argument.description}, {"required", argument.required}});
    }
    list.push_back({{"name", prompt.name},
                    {"title", prompt.title},
                    {"description", prompt.description},
                    {"arguments", std::move(arguments)}});
  }
  return {{"prompts", std::move(list)}};
}

RpcResult<Json> get_prompt(const Json& params)
{
  const auto name = params.find("name");
  const auto found =
    std::ranges::find_if(prompts(), [&](const Prompt& prompt) { return name != params.end() && *name == prompt.name; });
  if (found == prompts().end()) {
    return invalid("params.name must name a prompt: explain_candidate or optimise_kernel");
  }
  const Json given = params.value("arguments", Json::object());
  std::string text = found->text;
  for (const PromptArgument& argument : found->arguments) {
    const auto value = given.find(argument.name);
    if (value == given.end() ? argument.required : !value->is_string()) {
      return invalid(fmt::format("the prompt {} needs the argument '{}', a text", found->name, argument.name));
    }
    text = replace_all(std::move(text), "{" + argument.name + "}",
                       value == given.end() ? argument.otherwise : value->get<std::string>());
  }
  return Json{
    {"description", found->description},
    {"messages", Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", std::move(text)}}}}})}};
}

} // namespace hone::serve
