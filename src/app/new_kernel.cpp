#include "app/new_kernel.h"

#include "app/workbench.h"

#include <fmt/format.h>

#include <cctype>

namespace hone::app {

namespace {

Result<std::map<std::string, std::string>> parse_types(const std::vector<std::string>& items)
{
  std::map<std::string, std::string> types;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(fmt::format("'{}' is not a type", item), "write types as --type A=f64", Place{"--type", 0, 0});
    }
    types[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return types;
}

// "S[b,i,j] = ..." without a name given becomes kernel "s".
std::string name_from(const std::string& expression)
{
  std::string name;
  for (const char letter : expression) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') {
      break;
    }
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name.empty() ? "kernel" : name;
}

} // namespace

Result<fs::path> new_kernel_folder(const std::string& wanted, const std::string& name)
{
  const fs::path folder = wanted.empty() ? fs::path(name) : fs::path(wanted);
  const fs::path file = folder / "kernel.toml";
  std::error_code error;
  if (fs::exists(file, error)) {
    return fail(fmt::format("'{}' exists already", file.string()),
                "choose another folder with --out, or edit that file", Place{file.string(), 0, 0});
  }
  fs::create_directories(folder, error);
  if (error) {
    return fail(fmt::format("cannot make folder '{}': {}", folder.string(), error.message()),
                "choose another folder with --out");
  }
  return folder;
}

Result<NewKernelResult> new_kernel(const NewKernelRequest& request)
{
  kernel::NewKernel draft;
  draft.expression = request.expression;
  draft.name = request.name.empty() ? name_from(request.expression) : request.name;
  HONE_TRY(draft.types, parse_types(request.types));
  HONE_TRY(draft.sizes, parse_sizes(request.sizes));
  NewKernelResult result;
  HONE_TRY(result.toml, kernel::draft_kernel_toml(draft));
  HONE_TRY(result.folder, new_kernel_folder(request.folder, draft.name));
  result.file = result.folder / "kernel.toml";
  HONE_CHECK(write_file(result.file, result.toml));
  HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(result.file));
  result.kernel = kernel.name;
  result.hash = kernel.hash;
  return result;
}

Json to_json(const NewKernelResult& result)
{
  return {{"kernel", result.kernel},
          {"folder", result.folder.string()},
          {"file", result.file.string()},
          {"hash", result.hash},
          {"toml", result.toml}};
}

} // namespace hone::app
