// hone branch: names for checkpoints, to come back to and to go on from.
#include "app/branches.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct BranchOptions {
  KernelRequest kernel;
  std::string name;
  std::string from = "best";
  bool remove = false;
  bool force = false;
};

Result<Exit> print_branches(Context& context, const KernelRequest& kernel)
{
  HONE_TRY(const BranchList list, list_branches(context, kernel));
  std::vector<std::vector<std::string>> rows{{"branch", "checkpoint", "step", "verdict"}};
  for (const NamedCheckpoint& named : list.branches) {
    rows.push_back({named.branch, short_id(named.id), named.checkpoint ? named.checkpoint->transformation : "",
                    named.checkpoint ? verdict_text(named.checkpoint->record.verdict) : "damaged: see hone fsck"});
  }
  context.terminal.out(list.branches.empty()
                         ? fmt::format("no branches; make one: hone branch {} NAME", list.kernel_folder.string())
                         : aligned_table(rows));
  context.print_json(to_json(list));
  return Exit::ok;
}

Result<Exit> change_branch(Context& context, const BranchOptions& options)
{
  HONE_TRY(const BranchChange change,
           options.remove ? delete_branch(context, options.kernel, options.name)
                          : make_branch(context, options.kernel, options.name, options.from, options.force));
  context.terminal.out(
    change.deleted
      ? fmt::format("deleted branch {} (it named {}, which stays)", change.branch, short_id(change.checkpoint))
      : fmt::format("branch {} names {} ({})\ngo on from it: hone optimize {} --branch {}", change.branch,
                    short_id(change.checkpoint), change.transformation, change.kernel_folder.string(), change.branch));
  context.print_json(to_json(change));
  return Exit::ok;
}

Result<Exit> branch(Context& context, const BranchOptions& options)
{
  if (!options.name.empty()) {
    return change_branch(context, options);
  }
  if (options.remove || options.force) {
    return fail("which branch?", "name it after the kernel; `hone branch KERNEL` lists them", Place{"NAME", 0, 0});
  }
  return print_branches(context, options.kernel);
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
