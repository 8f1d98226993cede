// hone new: a kernel folder from one expression.
#include "cli/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::cli {

namespace {

struct NewOptions {
  std::string expression;
  std::string name;
  std::string folder;
  std::vector<std::string> types;
  std::vector<std::string> sizes;
};

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

Result<Exit> make(Context& context, const NewOptions& options)
{
  NewKernel request;
  request.expression = options.expression;
  request.name = options.name.empty() ? name_from(options.expression) : options.name;
  HONE_TRY(request.types, parse_types(options.types));
  HONE_TRY(request.sizes, parse_sizes(options.sizes));
  HONE_TRY(const std::string toml, draft_kernel_toml(request));

  const fs::path folder = options.folder.empty() ? fs::path(request.name) : fs::path(options.folder);
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
  HONE_CHECK(write_file(file, toml));
  HONE_TRY(const Kernel kernel, load_kernel(file));
  context.terminal.out(toml);
  context.terminal.out(fmt::format("wrote {}\nnext: hone optimize {}", file.string(), folder.string()));
  context.print_json({{"kernel", kernel.name},
                      {"folder", folder.string()},
                      {"file", file.string()},
                      {"hash", kernel.hash},
                      {"toml", toml}});
  return Exit::ok;
}

} // namespace

void add_new(CommandLine& line)
{
  auto options = std::make_shared<NewOptions>();
  CLI::App* command =
    line.add("new", "Make a kernel folder from an expression",
             {R"TEXT(hone new --expr "S[b,i,j] = sum(d, Q[b,i,d]*K[b,j,d]) * 0.125" --name scores)TEXT",
              R"TEXT(hone new --expr "C[m,n] = sum(k, A[m,k]*B[k,n])" --type A=f64 --size m=256,n=64)TEXT"},
             [options](Context& context) { return make(context, *options); });
  command->add_option("--expr", options->expression, "what to compute (docs/expressions.md)")->required();
  command->add_option("--name", options->name, "the kernel's name; default: from the expression's target");
  command->add_option("--out", options->folder, "folder to make; default: ./NAME");
  command->add_option("--type", options->types, "type of an argument, e.g. A=f64; default f32");
  command->add_option("--size", options->sizes, "size of a symbol, e.g. m=1024; sensible defaults otherwise");
}

} // namespace hone::cli
