// hone branch: names for checkpoints, to come back to and to go on from.
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct BranchOptions {
  KernelOptions kernel;
  std::string name;
  std::string from = "best";
  bool remove = false;
  bool force = false;
};

Result<Exit> list_branches(Context& context, const Workbench& bench)
{
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const auto branches, workflow.branches());
  std::vector<std::vector<std::string>> rows{{"branch", "checkpoint", "step", "verdict"}};
  Json list = Json::array();
  for (const auto& [name, id] : branches) {
    const auto checkpoint = workflow.find(id); // a damaged one must not hide the others
    const std::string step = checkpoint ? checkpoint->transformation : "";
    rows.push_back(
      {name, short_id(id), step, checkpoint ? verdict_text(checkpoint->record.verdict) : "damaged: see hone fsck"});
    list.push_back({{"branch", name}, {"checkpoint", id}, {"transformation", step}});
  }
  context.terminal.out(branches.empty()
                         ? fmt::format("no branches; make one: hone branch {} NAME", bench.kernel->folder.string())
                         : aligned_table(rows));
  context.print_json({{"kernel", bench.kernel->name}, {"branches", list}});
  return Exit::ok;
}

Result<Exit> delete_branch(Context& context, const Workbench& bench, const BranchOptions& options)
{
  HONE_TRY(Workflow workflow, open_existing_to_write(bench, context));
  HONE_TRY(const auto branches, workflow.branches());
  HONE_CHECK(workflow.delete_branch(options.name));
  const std::string& id = branches.at(options.name);
  context.terminal.out(fmt::format("deleted branch {} (it named {}, which stays)", options.name, short_id(id)));
  context.print_json({{"kernel", bench.kernel->name}, {"deleted", options.name}, {"checkpoint", id}});
  return Exit::ok;
}

Result<Exit> make_branch(Context& context, const Workbench& bench, const BranchOptions& options)
{
  HONE_TRY(Workflow workflow, open_existing_to_write(bench, context));
  HONE_TRY(const auto branches, workflow.branches());
  if (const auto old = branches.find(options.name); old != branches.end() && !options.force) {
    return fail(fmt::format("branch '{}' exists already: it names {}", options.name, short_id(old->second)),
                "choose another name, or move it with --force", Place{"NAME", 0, 0});
  }
  HONE_TRY(const Checkpoint checkpoint, workflow.find(options.from));
  HONE_CHECK(workflow.set_branch(options.name, checkpoint.id));
  context.terminal.out(fmt::format("branch {} names {} ({})\ngo on from it: hone optimize {} --branch {}", options.name,
                                   short_id(checkpoint.id), checkpoint.transformation, bench.kernel->folder.string(),
                                   options.name));
  context.print_json({{"kernel", bench.kernel->name},
                      {"branch", options.name},
                      {"checkpoint", checkpoint.id},
                      {"transformation", checkpoint.transformation}});
  return Exit::ok;
}

Result<Exit> branch(Context& context, const BranchOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  if (!options.name.empty()) {
    return options.remove ? delete_branch(context, bench, options) : make_branch(context, bench, options);
  }
  if (options.remove || options.force) {
    return fail("which branch?", "name it after the kernel; `hone branch KERNEL` lists them", Place{"NAME", 0, 0});
  }
  return list_branches(context, bench);
}

} // namespace

void add_branch(CommandLine& line)
{
  auto options = std::make_shared<BranchOptions>();
  CLI::App* command = line.add("branch", "Name a checkpoint, list the names, or delete one",
                               {"hone branch kernels/matmul                        # lists them",
                                "hone branch kernels/matmul wide-tiles 3f2a91c4   # or best, start, another branch",
                                "hone optimize kernels/matmul --branch wide-tiles # goes on from it and moves it",
                                "hone branch kernels/matmul wide-tiles --delete"},
                               [options](Context& context) { return branch(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("NAME", options->name, "the branch; without: list all");
  command->add_option("FROM", options->from, "what it shall name: id, prefix, branch, best or start; default best");
  auto* remove = command->add_flag("--delete", options->remove, "forget the name; the checkpoints stay");
  command->add_flag("--force", options->force, "move a branch that exists already")->excludes(remove);
}

} // namespace hone::cli
