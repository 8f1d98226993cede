#include "kernel/kernel.h"
#include "serve/tools/tool_list.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

constexpr int k_deepest = 4;
constexpr std::size_t k_most_kernels = 300;

// Folders with a kernel.toml below a root, in the order of their names; hidden folders and links are not looked into.
void add_kernels(const fs::path& folder, int depth, std::vector<fs::path>& into)
{
  std::error_code error;
  if (fs::exists(folder / "kernel.toml", error)) {
    into.push_back(folder);
  }
  std::vector<fs::path> below;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    if (depth < k_deepest && !entry->is_symlink(error) && entry->is_directory(error)
        && !entry->path().filename().string().starts_with('.')) {
      below.push_back(entry->path());
    }
  }
  std::ranges::sort(below);
  for (const fs::path& one : below) {
    if (into.size() < k_most_kernels) {
      add_kernels(one, depth + 1, into);
    }
  }
}

Json kernel_entry(const std::string& name, const fs::path& folder, bool shipped)
{
  Json entry{{"kernel", name}, {"shipped", shipped}};
  const auto kernel = kernel::load_kernel(folder);
  if (!kernel) {
    entry["mistake"] = kernel.error().text();
    return entry;
  }
  entry["summary"] = kernel->summary;
  entry["computes"] = kernel->expression_text;
  entry["sizes"] = kernel->timed.front();
  return entry;
}

Result<ToolAnswer> list_kernels(const ToolCall& call)
{
  const std::string word = text_in(call.arguments, "matching");
  Json list = Json::array();
  const auto add = [&](const std::string& name, const fs::path& folder, bool shipped) {
    if (word.empty() || name.find(word) != std::string::npos) {
      list.push_back(kernel_entry(name, folder, shipped));
    }
  };
  std::vector<fs::path> own;
  for (const fs::path& root : call.place.roots().folders()) {
    add_kernels(root, 0, own);
  }
  for (const fs::path& folder : own) {
    add(call.place.roots().shown(folder), folder, false);
  }
  std::error_code error;
  const fs::path shipped_ones = fs::weakly_canonical(share_folder() / "kernels", error);
  std::vector<fs::path> shipped;
  if (!call.place.roots().holds(shipped_ones)) { // else they are among the others
    add_kernels(shipped_ones, k_deepest - 1, shipped);
  }
  for (const fs::path& folder : shipped) {
    add(folder.filename().string(), folder, true);
  }
  return ToolAnswer{{{"kernels", std::move(list)}, {"cut", own.size() >= k_most_kernels}}};
}

} // namespace

Tool list_kernels_tool()
{
  Tool tool;
  tool.name = "list_kernels";
  tool.title = "List kernels";
  tool.description =
    "Lists the compute kernels that can be made faster: those below the server's folders, and those that "
    "Hone ships. Begin here. Example: list_kernels {\"matching\": \"softmax\"}";
  tool.input = object_schema("Which ones.", {{"matching", text_schema("Only kernels whose name holds this.")}});
  tool.output = output_schema(
    "The kernels.", {{"kernels",
                      list_schema("In the order of their names.", any_object_schema("kernel (its name for the other "
                                                                                    "tools), summary, computes, "
                                                                                    "sizes, shipped, mistake")),
                      true},
                     {"cut", flag_schema("There are more.")}});
  tool.call = list_kernels;
  return tool;
}

} // namespace hone::serve
