#include "app/history.h"
#include "app/result_json.h"
#include "kernel/kernel.h"
#include "serve/tools/tool_list.h"

namespace hone::serve {

namespace {

Result<ToolAnswer> folder_answer(const std::string& name, const fs::path& folder, const kernel::Kernel& kernel)
{
  Json files = Json::object();
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      HONE_TRY(files[entry->path().filename().string()], read_file(entry->path()));
    }
  }
  ToolAnswer answer{{{"candidate", name}, {"folder", folder.string()}, {"files", std::move(files)}}};
  if (const auto loaded = kernel::load_candidate(kernel, folder); !loaded) {
    answer.content["mistake"] = error_json(loaded.error());
  }
  return answer;
}

Result<ToolAnswer> read_candidate(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  const std::string given = text_in(call.arguments, "candidate");
  HONE_TRY(const std::string name, call.place.candidate(use, given));
  const app::Context context{use.settings, call.exchange.stop};
  HONE_TRY(const app::Workbench bench, app::open_workbench(context, use.request));
  if (given == "naive") {
    HONE_TRY(const record::Contender naive, app::naive_contender(bench));
    return ToolAnswer{{{"candidate", given}, {"files", naive.candidate.files}}};
  }
  if (app::names_folder(name, nullptr)) {
    return folder_answer(given, name, *bench.kernel);
  }
  HONE_TRY(const store::Checkpoint checkpoint, app::show_checkpoint(context, use.request, name));
  ToolAnswer answer{{{"candidate", checkpoint.id},
                     {"parent", checkpoint.parent},
                     {"step", checkpoint.transformation},
                     {"point", app::point_json(checkpoint.point)},
                     {"record", short_verdict(checkpoint.record.verdict)},
                     {"files", checkpoint.candidate.files}}};
  if (const std::string against = text_in(call.arguments, "against"); !against.empty()) {
    HONE_TRY(const app::CheckpointDiff diff, app::diff_checkpoints(context, use.request, against, name));
    answer.content["diff"] = diff.diff;
    answer.content.erase("files");
  }
  return answer;
}

} // namespace

Tool read_candidate_tool()
{
  Tool tool;
  tool.name = "read_candidate";
  tool.title = "Read a candidate";
  tool.description =
    "The files and the record of a candidate: a checkpoint (id, prefix, branch, best, start), `naive`, a scratch "
    "candidate (scratch/NAME) or a folder. With `against`, the difference of two checkpoints in place of "
    "files. Example: read_candidate {\"kernel\": \"matmul\", \"candidate\": \"best\", \"against\": \"start\"}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"candidate", text_schema("Which one."), true});
  members.push_back({"against", text_schema("A checkpoint that `candidate`, a checkpoint too, is compared with.")});
  tool.input = object_schema("Which one.", members);
  tool.output = output_schema("The candidate.", {{"candidate", text_schema("Its name."), true},
                                                 {"folder", text_schema("Where it stands.")},
                                                 {"parent", text_schema("Checkpoint that it was made of.")},
                                                 {"step", text_schema("What was done to the parent.")},
                                                 {"point", any_object_schema("Values of tuning parameters.")},
                                                 {"record", any_object_schema("What the gate said.")},
                                                 {"files", any_object_schema("Texts by file name.")},
                                                 {"diff", text_schema("Unified, from `against`.")},
                                                 {"mistake", any_object_schema("Why the folder is no candidate.")}});
  tool.call = read_candidate;
  return tool;
}

} // namespace hone::serve
