// hone completion | man: what shells and readers want to know about the commands; and the names that completion asks
// for.
#include "cli/completion.h"

#include "catalogue/catalogue.h"
#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/streams.h"

namespace hone::cli {

namespace {

using Names = std::vector<std::string>;

struct NamesOptions {
  KernelRequest kernel;
  std::string kind;
};

Names shipped_kernels()
{
  Names names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(share_folder() / "kernels", error)) {
    if (fs::exists(entry.path() / "kernel.toml", error)) {
      names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

Result<Names> transformations(const Context& context, const NamesOptions& options)
{
  fs::path folder;
  if (!options.kernel.kernel.empty()) {
    HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
    folder = bench.kernel->folder;
  }
  HONE_TRY(const auto catalogue, catalogue::load_catalogue(share_folder() / "transformations", folder));
  Names names;
  for (const catalogue::Transformation& transformation : catalogue) {
    names.push_back(transformation.name);
  }
  return names;
}

Result<Names> checkpoints(const Context& context, const NamesOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const auto branches, workflow.branches());
  Names names;
  for (const auto& [name, id] : branches) {
    names.push_back(name);
  }
  if (options.kind == "branch") {
    return names;
  }
  names.insert(names.end(), {"best", "start", "HEAD"});
  HONE_TRY(const auto all, workflow.checkpoints());
  for (const store::Checkpoint& checkpoint : all) {
    names.push_back(short_id(checkpoint.id));
  }
  return names;
}

// Nobody wants to read a mistake in the middle of typing: what is not known completes to nothing.
Result<Exit> complete_names(Context& context, const NamesOptions& options)
{
  const Result<Names> names = options.kind == "kernel"           ? Result<Names>(shipped_kernels())
                              : options.kind == "transformation" ? transformations(context, options)
                                                                 : checkpoints(context, options);
  for (const std::string& name : names.value_or(Names{})) {
    print_out(name + "\n");
  }
  return Exit::ok;
}

} // namespace

void add_completion(CommandLine& line)
{
  auto shell = std::make_shared<std::string>();
  CLI::App* command = line.add("completion", "Print the completion script of a shell",
                               {"source <(hone completion bash)      # in ~/.bashrc",
                                "hone completion zsh > ~/.zfunc/_hone   # a folder of $fpath",
                                "hone completion fish > ~/.config/fish/completions/hone.fish"},
                               [&line, shell](Context& context) {
                                 const std::string script = *shell == "bash"  ? bash_completion(line.app())
                                                            : *shell == "zsh" ? zsh_completion(line.app())
                                                                              : fish_completion(line.app());
                                 if (!context.terminal.json()) {
                                   print_out(script);
                                 }
                                 context.print_json({{"shell", *shell}, {"script", script}});
                                 return Exit::ok;
                               });
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));

  line.add("man", "Print the manual page", {"hone man | man -l -", "hone man > hone.1"}, [&line](Context& context) {
    const std::string page = manual_page(line.app(), std::string(version_number()));
    if (!context.terminal.json()) {
      print_out(page);
    }
    context.print_json({{"page", page}});
    return Exit::ok;
  });

  auto options = std::make_shared<NamesOptions>();
  options->kernel.kernel.clear();
  command = line.add("complete-names", "Names for a shell's completion", {"hone complete-names kernel"},
                     [options](Context& context) { return complete_names(context, *options); });
  command->group(""); // not for people
  command->add_option("KIND", options->kind)
    ->check(CLI::IsMember({"kernel", "checkpoint", "branch", "transformation"}));
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
  command->get_option("--kernel")->required(false);
}

} // namespace hone::cli
