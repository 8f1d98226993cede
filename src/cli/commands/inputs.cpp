// hone inputs: the rows of values and sizes that candidates are tried on.
#include "app/list_inputs.h"
#include "cli/command_line.h"
#include "cli/streams.h"

namespace hone::cli {

namespace {

Result<Exit> print_inputs(Context& context, bool as_page)
{
  if (as_page) {
    print_out(inputs::inputs_page());
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> values{{"values", "types", "share", "finds"}};
  for (const inputs::ValueEntry& entry : inputs::value_entries()) {
    const bool is_short = entry.share.find_first_of(";,") == std::string::npos && entry.share.size() < 6;
    values.push_back(
      {std::string(entry.name), entry.types, is_short ? entry.share : "varies", std::string(entry.reason)});
  }
  std::vector<std::vector<std::string>> sizes{{"sizes", "finds"}};
  for (const inputs::SizeRow& row : inputs::size_table()) {
    sizes.push_back({std::string(row.name), std::string(row.reason)});
  }
  context.terminal.out(aligned_table(values) + "\n\n" + aligned_table(sizes));
  context.print_json(inputs_json());
  return Exit::ok;
}

} // namespace

void add_inputs(CommandLine& line)
{
  auto as_page = std::make_shared<bool>(false);
  CLI::App* command = line.add(
    "inputs", "List the values and sizes that candidates are tried on",
    {"hone inputs", "hone inputs --json", "hone run my-candidate --kernel matmul --values large/around-a-middle"},
    [as_page](Context& context) { return print_inputs(context, *as_page); });
  command->add_flag("--markdown", *as_page, "as the page docs/values.md")->group(""); // for whoever changes the tables
}

} // namespace hone::cli
