#include "app/branches.h"

#include "app/figures.h"

#include <fmt/format.h>

namespace hone::app {

Result<BranchList> list_branches(const Context& context, const KernelRequest& kernel)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const auto branches, workflow.branches());
  BranchList list{bench.kernel->name, bench.kernel->folder, {}};
  for (const auto& [name, id] : branches) {
    auto checkpoint = workflow.find(id); // a damaged one must not hide the others
    list.branches.push_back({name, id, checkpoint ? std::optional(std::move(*checkpoint)) : std::nullopt});
  }
  return list;
}

Result<BranchChange> make_branch(const Context& context, const KernelRequest& kernel, const std::string& branch,
                                 const std::string& from, bool force)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(store::Workflow workflow, open_existing_to_write(bench, context));
  HONE_TRY(const auto branches, workflow.branches());
  if (const auto old = branches.find(branch); old != branches.end() && !force) {
    return fail(fmt::format("branch '{}' exists already: it names {}", branch, short_id(old->second)),
                "choose another name, or move it with --force", Place{"NAME", 0, 0});
  }
  HONE_TRY(const store::Checkpoint checkpoint, workflow.find(from));
  HONE_CHECK(workflow.set_branch(branch, checkpoint.id));
  return BranchChange{bench.kernel->name, bench.kernel->folder,      branch,
                      checkpoint.id,      checkpoint.transformation, false};
}

Result<BranchChange> delete_branch(const Context& context, const KernelRequest& kernel, const std::string& branch)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(store::Workflow workflow, open_existing_to_write(bench, context));
  HONE_TRY(const auto branches, workflow.branches());
  HONE_CHECK(workflow.delete_branch(branch));
  return BranchChange{bench.kernel->name, bench.kernel->folder, branch, branches.at(branch), "", true};
}

Json to_json(const BranchList& list)
{
  Json branches = Json::array();
  for (const NamedCheckpoint& named : list.branches) {
    branches.push_back({{"branch", named.branch},
                        {"checkpoint", named.id},
                        {"transformation", named.checkpoint ? named.checkpoint->transformation : ""}});
  }
  return {{"kernel", list.kernel}, {"branches", branches}};
}

Json to_json(const BranchChange& change)
{
  if (change.deleted) {
    return {{"kernel", change.kernel}, {"deleted", change.branch}, {"checkpoint", change.checkpoint}};
  }
  return {{"kernel", change.kernel},
          {"branch", change.branch},
          {"checkpoint", change.checkpoint},
          {"transformation", change.transformation}};
}

} // namespace hone::app
