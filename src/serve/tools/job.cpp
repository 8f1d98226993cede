#include "serve/tools/tool_list.h"

namespace hone::serve {

namespace {

Result<ToolAnswer> list_jobs(Jobs& jobs)
{
  Json list = Json::array();
  for (const JobView& view : jobs.list()) {
    list.push_back({{"job", view.id}, {"tool", view.tool}, {"subject", view.subject}, {"state", name_of(view.state)}});
  }
  return ToolAnswer{{{"jobs", std::move(list)}}};
}

Result<ToolAnswer> call_job(const ToolCall& call)
{
  const std::string id = text_in(call.arguments, "job");
  if (id.empty()) {
    return list_jobs(call.place.jobs());
  }
  if (flag_in(call.arguments, "cancel")) {
    call.place.jobs().cancel(id);
  }
  return wait_for_job(call, id, false);
}

} // namespace

Tool job_tool()
{
  Tool tool;
  tool.name = "job";
  tool.title = "Look at a job, wait for it, or cancel it";
  tool.description =
    "Where a job stands, and its result once it has ended. Waits `wait_s` seconds for the end. With `cancel` it is "
    "stopped; what it has reached is kept. Without a job: lists the last ones. Example: job {\"job\": \"j1\", "
    "\"wait_s\": 20}";
  tool.input = object_schema("Which one.", {{"job", text_schema("Its handle, as another tool returned it.")},
                                            {"cancel", flag_schema("Stop it.")},
                                            wait_member()});
  tool.output = job_output_schema(any_object_schema("As the tool that started it says."));
  tool.output.erase("required");
  tool.output["properties"]["jobs"] = list_schema("The last ones.", any_object_schema("job, tool, subject, state"));
  tool.read_only = false;
  tool.call = call_job;
  return tool;
}

} // namespace hone::serve
