#include "app/ship.h"

#include "serve/tools/tool_list.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

// A folder that is not there yet: KERNEL-c, KERNEL-c-2, ...
fs::path fresh_folder(const fs::path& parent, const std::string& name)
{
  std::error_code error;
  fs::path folder = parent / name;
  for (int i = 2; fs::exists(folder, error); ++i) {
    folder = parent / fmt::format("{}-{}", name, i);
  }
  return folder;
}

Result<ToolAnswer> call_ship(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  app::ShipRequest request;
  request.kernel = use.request;
  request.as = text_in(call.arguments, "as", "c");
  HONE_TRY(request.checkpoint, call.place.candidate(use, text_in(call.arguments, "candidate", "best")));
  const std::string given = text_in(call.arguments, "folder");
  if (given.empty()) {
    request.folder = fresh_folder(use.state / "shipped", use.folder.filename().string() + "-" + request.as).string();
  } else {
    HONE_TRY(const fs::path folder, call.place.folder_to_write(use, given));
    request.folder = folder.string();
  }
  return run_as_job(
    call, "ship", use.name,
    [settings = use.settings, request](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::ShipResult result, app::ship_checkpoint(context, request));
      return Outcome{fmt::format("{} is in {}", result.function, result.folder.string()), app::to_json(result),
                     nullptr};
    });
}

} // namespace

Tool ship_tool()
{
  const std::vector<std::string> languages{"c", "cpp"};
  Tool tool;
  tool.name = "ship";
  tool.title = "Export a candidate as plain code";
  tool.description =
    "Writes a candidate of the cpu backend as a folder with a plain function in C or C++ that builds, checks and times "
    "itself without Hone. Example: ship {\"kernel\": \"softmax\", \"candidate\": \"best\", \"as\": \"c\"}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"candidate", text_schema("A checkpoint, naive, scratch/NAME or a folder. Default: best.")});
  members.push_back({"as", words_schema("The language. Default: c.", languages)});
  members.push_back(
    {"folder", text_schema("A new folder, relative to the first root; needs a server started with --allow-writes. "
                           "Default: a new one among the workflows.")});
  members.push_back(wait_member());
  tool.input = object_schema("What to export.", members);
  tool.output = job_output_schema(any_object_schema("folder, function, language, origin, sizes, point, files, busy"));
  tool.read_only = false;
  tool.idempotent = false;
  tool.call = call_ship;
  return tool;
}

} // namespace hone::serve
