#include "rewrite/model/prompt.h"

#include "lower/lower.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::rewrite {
namespace {

std::string language_of(const std::string& file)
{
  return file.ends_with(".toml") ? "toml" : file.ends_with(".cl") ? "c" : "cpp";
}

std::string arguments_of(const kernel::Kernel& kernel)
{
  std::string text;
  for (const kernel::Argument& argument : kernel.arguments) {
    std::vector<std::string> extents;
    for (const kernel::ExprPtr& extent : argument.shape) {
      extents.push_back(kernel::to_text(*extent));
    }
    text += fmt::format("- `{}`: {} of {}, {}\n", argument.name, kernel::name_of(argument.role),
                        kernel::name_of(argument.type),
                        extents.empty() ? "one number" : "shape [" + join(extents, ", ") + "]");
  }
  return std::string(trim(text));
}

std::string parameters_of(const catalogue::Transformation& transformation)
{
  std::string text;
  for (const catalogue::TransformationParameter& parameter : transformation.parameters) {
    std::vector<std::string> values;
    for (const std::int64_t value : parameter.values) {
      values.push_back(std::to_string(value));
    }
    text += fmt::format("- `{}` in {{{}}}: {}\n", parameter.name, join(values, ", "), parameter.meaning);
  }
  return std::string(trim(text));
}

// The text under a heading "## TITLE" of the transformation's body; "" where there is none.
std::string section_of(const catalogue::Transformation& transformation, std::string_view title)
{
  std::string text;
  bool inside = false, fenced = false;
  for (const std::string& line : split(transformation.body, '\n')) {
    fenced ^= line.starts_with("```");
    if (!fenced && line.starts_with("## ")) {
      inside = trim(line.substr(3)) == title;
    } else if (inside) {
      text += line + "\n";
    }
  }
  return std::string(trim(text));
}

// Of which several fit a lane of 32 bits.
bool has_narrow_inputs(const kernel::Kernel& kernel)
{
  return std::ranges::any_of(kernel.arguments, [](const kernel::Argument& argument) {
    return argument.type == kernel::DataType::i8 || argument.type == kernel::DataType::u8
           || argument.type == kernel::DataType::bf16;
  });
}

constexpr int k_wide_vectors = 64; // bytes: x86 has twice as many registers of them

std::string device_of(const EngineRequest& request)
{
  std::string text;
  if (request.dialect.vector_bytes > 0) {
    text += fmt::format("- vectors of {} bytes in {} registers{}\n", request.dialect.vector_bytes,
                        request.dialect.vector_bytes >= k_wide_vectors ? 32 : 16,
                        request.dialect.masked_memory ? ", loads and stores under masks" : "");
  }
  if (request.target != nullptr) {
    for (const auto& [name, value] : request.target->device_facts) {
      text += fmt::format("- `{}` = {}\n", name, value);
    }
    text += fmt::format("- threads: {}\n", request.target->threads);
  }
  return text.empty() ? "Not known." : std::string(trim(text));
}

} // namespace

std::string listed(const std::map<std::string, std::string>& files)
{
  std::string text;
  for (const auto& [name, contents] : files) {
    const bool empty = trim(contents).empty();
    text += fmt::format("`{}`{}\n\n", name, empty ? " is empty." : ":");
    if (!empty) {
      text += fmt::format("```{}\n{}{}```\n\n", language_of(name), contents, contents.ends_with('\n') ? "" : "\n");
    }
  }
  return text;
}

Result<Prompts> load_prompts(const fs::path& folder, PromptProfile profile)
{
  const auto read = [&](const std::string& name) {
    const fs::path compact = folder / "compact" / name;
    std::error_code ignored;
    return read_file(profile == PromptProfile::compact && fs::exists(compact, ignored) ? compact : folder / name);
  };
  Prompts prompts;
  HONE_TRY(prompts.system, read("system.md"));
  HONE_TRY(prompts.plan, read("plan.md"));
  HONE_TRY(prompts.pass, read("pass.md"));
  HONE_TRY(prompts.repair, read("repair.md"));
  HONE_TRY(prompts.agent, read("agent.md"));
  HONE_TRY(prompts.agent_task, read("agent-task.md"));
  for (const char* backend : {"cpu", "opencl", "hlsl", "cuda", "hip"}) {
    HONE_TRY(prompts.dialects[backend], read(fmt::format("dialect-{}.md", backend)));
  }
  return prompts;
}

std::string file_of_region(catalogue::Region region, const lower::Dialect& dialect)
{
  switch (region) {
  case catalogue::Region::macros:
    return "macros.h";
  case catalogue::Region::launch:
    return "launch.toml";
  case catalogue::Region::device:
    break;
  }
  return dialect.device_file;
}

namespace {

// The plan of the plain loops of this kernel: a model copies an example, so that it had better be a right one.
Result<std::string> plan_text(const Prompts& prompts, const EngineRequest& request)
{
  const auto naive = lower::naive_candidate(request.kernel, request.dialect);
  const kernel::Candidate& shown = naive ? *naive : request.current;
  const auto plan = shown.files.find("launch.toml");
  return fill_template(prompts.plan,
                       {{"origin", naive ? "the plain loops of this kernel" : "the candidate"},
                        {"plan", plan == shown.files.end() ? "" : std::string(trim(plan->second))},
                        {"size", request.kernel.symbols.empty() ? "n" : request.kernel.symbols.front()},
                        {"items", request.dialect.name != "cpu" ? "yes" : ""}},
                       "prompts/plan.md");
}

// The plan and the language.
Result<std::string> ground_text(const Prompts& prompts, const EngineRequest& request)
{
  const lower::Dialect& dialect = request.dialect;
  const auto language = prompts.dialects.find(dialect.name);
  if (language == prompts.dialects.end()) {
    return fail(fmt::format("there is no prompt for the backend {}", dialect.name));
  }
  HONE_TRY(const std::string plan, plan_text(prompts, request));
  HONE_TRY(const std::string offered,
           fill_template(language->second, {{"narrow", has_narrow_inputs(request.kernel) ? "yes" : ""}},
                         fmt::format("prompts/dialect-{}.md", dialect.name)));
  return plan + "\n" + offered;
}

TemplateValues kernel_values(const EngineRequest& request)
{
  const kernel::Kernel& kernel = request.kernel;
  const kernel::Sizes timed = request.target != nullptr ? request.target->sizes
                              : kernel.timed.empty()    ? kernel::Sizes()
                                                        : kernel.timed.front();
  const bool any = kernel.also == kernel::AlsoSizes::any;
  return {{"kernel_summary", fmt::format("{}: {}.", kernel.name, kernel.summary)},
          {"expression", std::string(trim(kernel.expression_text.empty() ? "(stated by a reference in C++)"
                                                                         : kernel.expression_text))},
          {"arguments", arguments_of(kernel)},
          {"symbols", join(kernel.symbols, ", ")},
          {"sizes", kernel::to_text(timed)},
          {"also", any ? "Any other sizes must be right, too."
                       : "The sizes are fixed: macros HONE_SIZE_m and so on hold them."},
          {"accumulate", std::string(kernel::name_of(kernel.accumulate))},
          {"device", device_of(request)}};
}

} // namespace

Result<std::string> system_text(const Prompts& prompts, const EngineRequest& request, AnswerForm form)
{
  const lower::Dialect& dialect = request.dialect;
  HONE_TRY(const std::string rules, fill_template(prompts.system,
                                                  {{"file", dialect.device_file},
                                                   {"language", language_of(dialect.device_file)},
                                                   {"blocks", form == AnswerForm::blocks ? "yes" : ""},
                                                   {"object", form == AnswerForm::object ? "yes" : ""}},
                                                  "prompts/system.md"));
  HONE_TRY(const std::string ground, ground_text(prompts, request));
  return rules + "\n" + ground;
}

Result<std::string> agent_system_text(const Prompts& prompts, const EngineRequest& request, bool profiles)
{
  HONE_TRY(const std::string rules,
           fill_template(prompts.agent, {{"file", request.dialect.device_file}, {"profiles", profiles ? "yes" : ""}},
                         "prompts/agent.md"));
  HONE_TRY(const std::string ground, ground_text(prompts, request));
  return rules + "\n" + ground;
}

Result<std::string> agent_task_text(const Prompts& prompts, const EngineRequest& request, const std::string& limits)
{
  TemplateValues values = kernel_values(request);
  values["files"] = listed(request.current.files);
  values["limits"] = limits;
  return fill_template(prompts.agent_task, values, "prompts/agent-task.md");
}

Result<std::string> pass_text(const Prompts& prompts, const EngineRequest& request,
                              const std::map<std::string, std::string>& files, std::size_t pass, AnswerForm form)
{
  const catalogue::Transformation& step = request.transformation;
  const catalogue::Pass& now = step.passes.at(pass);
  TemplateValues values = kernel_values(request);
  values.merge(
    TemplateValues{{"files", listed(files)},
                   {"step", step.name},
                   {"intent", step.intent},
                   {"why", section_of(step, "Why")},
                   {"parameters", parameters_of(step)},
                   {"pass", now.name},
                   {"number", std::to_string(pass + 1)},
                   {"passes", std::to_string(step.passes.size())},
                   {"file", file_of_region(now.region, request.dialect)},
                   {"others", now.others_too ? "yes" : ""},
                   {"alone", now.others_too ? "" : "yes"},
                   {"place", form == AnswerForm::blocks ? "in a block of its own whose opening fence names it"
                                                        : "in an entry of its own"},
                   {"instruction", std::string(trim(now.instruction))},
                   {"snippets", section_of(step, "Snippets")},
                   {"pitfalls", section_of(step, "Pitfalls")}});
  HONE_TRY(std::string text, fill_template(prompts.pass, values, "prompts/pass.md"));
  return request.advice.empty() ? text : text + "\n# What was learned before\n\n" + request.advice;
}

Result<std::string> repair_text(const Prompts& prompts, const std::string& report,
                                const std::map<std::string, std::string>& files, const std::string& scope)
{
  return fill_template(prompts.repair, {{"report", report}, {"files", listed(files)}, {"scope", scope}},
                       "prompts/repair.md");
}

} // namespace hone::rewrite
