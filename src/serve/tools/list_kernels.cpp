#include "kernel/kernel.h"
#include "serve/kernel_folders.h"
#include "serve/tools/tool_list.h"
#include "util/text.h"

#include <fmt/format.h>


namespace hone::serve {

namespace {

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
  const KernelFolders found = kernel_folders(call.place.roots());
  for (const fs::path& folder : found.own) {
    add(call.place.roots().shown(folder), folder, false);
  }
  for (const fs::path& folder : found.shipped) {
    add(folder.filename().string(), folder, true);
  }
  return ToolAnswer{{{"kernels", std::move(list)}, {"cut", found.cut}}};
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
