#include "app/catalogue.h"
#include "catalogue/catalogue.h"
#include "kernel/kernel.h"
#include "serve/tools/tool_list.h"

namespace hone::serve {

namespace {

Result<ToolAnswer> list_steps(const ToolCall& call)
{
  std::optional<KernelInUse> use;
  std::optional<kernel::Kernel> kernel;
  if (call.arguments.contains("kernel")) {
    HONE_TRY(use, call.place.kernel(call.arguments));
    HONE_TRY(kernel, kernel::load_kernel(use->folder));
  }
  HONE_TRY(const auto all, app::catalogue(use ? use->folder.string() : ""));
  if (const std::string name = text_in(call.arguments, "step"); !name.empty()) {
    HONE_TRY(const catalogue::Transformation* found, catalogue::find_transformation(all, name));
    return ToolAnswer{{{"steps", Json::array({app::to_json(*found)})}, {"text", found->source}}};
  }
  const std::string backend = use ? use->settings.text("backend") : "";
  const std::vector<std::string> done = texts_in(call.arguments, "done");
  Json steps = Json::array();
  for (const catalogue::Transformation& step : all) {
    Json entry{{"step", step.name}, {"intent", step.intent}, {"relieves", step.bottleneck}};
    if (kernel) {
      const auto why_not = catalogue::why_not_applicable(step, *kernel, backend, done);
      entry["applies"] = !why_not;
      if (why_not) {
        entry["why_not"] = *why_not;
      }
    }
    steps.push_back(std::move(entry));
  }
  return ToolAnswer{{{"steps", std::move(steps)}}};
}

} // namespace

Tool list_steps_tool()
{
  Tool tool;
  tool.name = "list_steps";
  tool.title = "List or read optimisation steps";
  tool.description =
    "The catalogue of optimisation steps, with which ones apply to a kernel after those already done; or, with "
    "`step`, the whole text of one: instructions, snippets, pitfalls. apply_step carries one out, or write "
    "it by hand with write_candidate. Example: list_steps {\"kernel\": \"matmul\", \"done\": "
    "[\"reorder-loops\"]}";
  std::vector<SchemaMember> members = kernel_members();
  members.front().required = false;
  members.push_back({"step", text_schema("Name of the one to read.")});
  members.push_back({"done", list_schema("Steps that were carried out before.", text_schema("A step's name."))});
  tool.input = object_schema("Which ones.", members);
  tool.output = output_schema(
    "The steps.",
    {{"steps", list_schema("By name.", any_object_schema("step, intent, relieves, applies, why_not")), true},
     {"text", text_schema("The file of the one that was asked for.")}});
  tool.call = list_steps;
  return tool;
}

} // namespace hone::serve
