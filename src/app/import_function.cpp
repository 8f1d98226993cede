#include "app/import_function.h"

#include "app/new_kernel.h"
#include "app/result_json.h"
#include "app/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace hone::app {

namespace {

// "x=n,m": the extents of one argument.
Result<void> take_shape(const std::string& text, import::ForeignFunction& foreign)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(fmt::format("'{}' is not a shape", text), "write shapes as --shape x=n,2*m, the outermost extent first",
                Place{"--shape", 0, 0});
  }
  for (const std::string& extent : split(text.substr(equals + 1), ',')) {
    foreign.shapes[text.substr(0, equals)].emplace_back(trim(extent));
  }
  return {};
}

// "label=0,c-1": the least and the largest value of one argument.
Result<void> take_domain(const std::string& text, import::ForeignFunction& foreign)
{
  const std::size_t equals = text.find('=');
  const std::vector<std::string> ends =
    equals == std::string::npos ? std::vector<std::string>() : split(text.substr(equals + 1), ',');
  if (equals == 0 || ends.size() != 2 || trim(ends[0]).empty() || trim(ends[1]).empty()) {
    return fail(fmt::format("'{}' is not a domain", text), "write domains as --domain x=LOW,HIGH, such as label=0,c-1",
                Place{"--domain", 0, 0});
  }
  foreign.domains[text.substr(0, equals)] = {std::string(trim(ends[0])), std::string(trim(ends[1]))};
  return {};
}

Result<kernel::Tolerance> tolerance_of(const std::string& text)
{
  const std::vector<std::string> parts = split(text, ',');
  std::vector<double> numbers;
  for (const std::string& part : parts) {
    double value = 0;
    const std::string_view number = trim(part);
    const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status == std::errc{} && end == number.data() + number.size() && value >= 0 && value < 1) {
      numbers.push_back(value);
    }
  }
  if (numbers.size() != parts.size() || numbers.size() > 2) {
    return fail(fmt::format("'{}' is not a tolerance", text),
                "write it as --tolerance RELATIVE,ABSOLUTE with numbers below 1, such as 1e-6,1e-9",
                Place{"--tolerance", 0, 0});
  }
  return kernel::Tolerance{numbers[0], numbers.size() > 1 ? numbers[1] : 0};
}

Result<import::ForeignFunction> foreign_function(const ImportRequest& request)
{
  import::ForeignFunction foreign;
  foreign.file = request.file;
  foreign.function = request.function;
  foreign.name = request.name;
  foreign.reference = request.reference;
  HONE_TRY(foreign.sizes, parse_sizes(request.sizes));
  for (const std::string& shape : request.shapes) {
    HONE_CHECK(take_shape(shape, foreign));
  }
  for (const std::string& domain : request.domains) {
    HONE_CHECK(take_domain(domain, foreign));
  }
  if (!request.tolerance.empty()) {
    HONE_TRY(foreign.tolerance, tolerance_of(request.tolerance));
  }
  for (const std::string& folder : request.include_folders) {
    foreign.flags.push_back("-I" + folder);
  }
  for (const std::string& definition : request.definitions) {
    foreign.flags.push_back("-D" + definition);
  }
  return foreign;
}

} // namespace

Result<import::ForeignAnswer> understand_function(const ImportRequest& request)
{
  HONE_TRY(const import::ForeignFunction foreign, foreign_function(request));
  return import::kernel_from(foreign);
}

bool knows_shape(const ImportRequest& request, const std::string& argument)
{
  return std::ranges::any_of(request.shapes,
                             [&](const std::string& shape) { return shape.starts_with(argument + "="); });
}

Result<ImportedKernel> write_imported(const ImportRequest& request, const import::ForeignKernel& kernel)
{
  ImportedKernel imported{.kernel = kernel};
  HONE_TRY(imported.folder, new_kernel_folder(request.folder, kernel.name));
  imported.file = imported.folder / "kernel.toml";
  imported.start = kernel::start_folder(imported.folder, kernel.backend);
  HONE_CHECK(write_file(imported.file, kernel.toml));
  HONE_TRY(const kernel::Kernel loaded, kernel::load_kernel(imported.folder));
  HONE_TRY(const kernel::Candidate start, kernel::make_candidate(loaded, kernel.start));
  HONE_CHECK(kernel::save_candidate(start, imported.start));
  return imported;
}

namespace {

void note_loads(const kernel::Expr& expression, std::set<std::string>& out)
{
  if (expression.kind == kernel::ExprKind::load) {
    out.insert(expression.name);
  }
  for (const kernel::ExprPtr& arg : expression.args) {
    note_loads(*arg, out);
  }
}

void note_partial(const kernel::Expr& expression, std::set<std::string>& out)
{
  const bool root = expression.kind == kernel::ExprKind::call
                    && (expression.name == "sqrt" || expression.name == "rsqrt" || expression.name == "log"
                        || expression.name == "log1p" || expression.name == "pow");
  const bool division = expression.kind == kernel::ExprKind::binary && expression.name == "/";
  if (root || division) {
    note_loads(*expression.args[division ? 1 : 0], out);
  }
  if (root && expression.name == "pow") {
    note_loads(*expression.args[1], out);
  }
  const bool converts = expression.kind == kernel::ExprKind::cast && !kernel::is_float(expression.type)
                        && kernel::is_float(expression.args[0]->type);
  if (converts) {
    note_loads(*expression.args[0], out);
  }
  for (const kernel::ExprPtr& arg : expression.args) {
    note_partial(*arg, out);
  }
}

} // namespace

std::vector<std::string> values_to_ask_for(const ImportedKernel& imported)
{
  const auto kernel = kernel::load_kernel(imported.folder);
  std::vector<std::string> out;
  if (!kernel) {
    return out;
  }
  std::set<std::string> names;
  for (const kernel::Statement& statement : kernel->program.statements) {
    note_partial(*statement.value, names);
  }
  for (const kernel::Argument& argument : kernel->arguments) {
    if (names.contains(argument.name) && !argument.domain_given && argument.role != kernel::Role::output) {
      out.push_back(argument.name);
    }
  }
  return out;
}

Result<record::Record> judge_imported(Context& context, const ImportedKernel& imported)
{
  context.settings.override_from_flag("backend", imported.kernel.backend);
  HONE_TRY(const Workbench bench, open_workbench(context, {imported.folder.string(), {}}));
  HONE_TRY(const record::Contender contender, contender_named(bench, nullptr, imported.start.string()));
  HONE_TRY(const auto executor, open_executor(bench, context));
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender = contender;
  job.recipe = bench.recipe;
  job.depth = record::Depth::promote;
  context.observer->status("your function, through the gate ...");
  auto record = executor->run(job);
  context.observer->clear_status();
  return record;
}

Json to_json(const std::vector<import::Question>& questions)
{
  Json list = Json::array();
  for (const import::Question& question : questions) {
    Json entry = mistake_json(question.what);
    entry["argument"] = question.argument.empty() ? Json(nullptr) : Json(question.argument);
    list.push_back(entry);
  }
  return {{"questions", list}};
}

Json to_json(const ImportedKernel& imported, const record::Verdict& verdict)
{
  return {{"kernel", imported.kernel.name},
          {"folder", imported.folder.string()},
          {"file", imported.file.string()},
          {"start", imported.start.string()},
          {"notes", imported.kernel.notes},
          {"toml", imported.kernel.toml},
          {"status", record::name_of(verdict.status)},
          {"reason", verdict.reason}};
}

} // namespace hone::app
