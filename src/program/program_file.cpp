// Reads program.toml and the source tree that it names. The first mistake ends the reading.
#include "program/program.h"
#include "program/source_mask.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace hone::program {

namespace {

constexpr std::size_t k_largest_tree = std::size_t{64} << 20; // bytes
constexpr int k_fewest_pairs = 8;                             // fewer have no interval at 99 %

// A mistake, thrown within this file only: each reader below is one of many steps.
struct Mistake {
  Error error;
};

class TableReader {
public:
  TableReader(const toml::table& table, std::string name, std::string origin)
    : m_table(table), m_name(std::move(name)), m_origin(std::move(origin))
  {
  }

  [[noreturn]] void complain(std::string message, std::string hint, const toml::source_region& source) const
  {
    throw Mistake{{std::move(message),
                   std::move(hint),
                   {m_origin, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)}}};
  }
  [[noreturn]] void complain_at(std::string_view key, std::string message, std::string hint) const
  {
    const toml::node* node = m_table.get(key);
    complain(std::move(message), std::move(hint), node != nullptr ? node->source() : m_table.source());
  }

  void only(const std::vector<std::string>& known) const
  {
    for (const auto& [key, value] : m_table) {
      if (std::ranges::find(known, key.str()) == known.end()) {
        complain(fmt::format("{} has no '{}'", m_name, key.str()),
                 did_you_mean(key.str(), known, "it has " + join(known, ", ")), key.source());
      }
    }
  }

  bool has(std::string_view key) const { return m_table.contains(key); }

  std::string text(std::string_view key, std::optional<std::string> otherwise = {}) const
  {
    const toml::node* node = m_table.get(key);
    if (node == nullptr && otherwise) {
      return *otherwise;
    }
    if (node == nullptr || !node->is_string()) {
      complain_at(key, fmt::format("{} needs '{}', a text", m_name, key), "see docs/programs.md");
    }
    return **node->as_string();
  }

  double number(std::string_view key, double otherwise, double least, double most) const
  {
    const toml::node* node = m_table.get(key);
    if (node == nullptr) {
      return otherwise;
    }
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= least && *value <= most)) {
      complain_at(key, fmt::format("'{}' of {} must be a number from {} to {}", key, m_name, least, most), "");
    }
    return *value;
  }

  int whole(std::string_view key, int otherwise, int least, int most) const
  {
    const double value = number(key, otherwise, least, most);
    if (value != std::floor(value)) {
      complain_at(key, fmt::format("'{}' of {} must be a whole number", key, m_name), "");
    }
    return static_cast<int>(value);
  }

  std::vector<std::string> texts(std::string_view key, bool required) const
  {
    std::vector<std::string> all;
    const toml::node* node = m_table.get(key);
    const toml::array* array = node == nullptr ? nullptr : node->as_array();
    if (array != nullptr) {
      for (const toml::node& entry : *array) {
        if (!entry.is_string()) {
          complain(fmt::format("'{}' of {} holds texts only", key, m_name), "", entry.source());
        }
        all.push_back(**entry.as_string());
      }
    }
    if ((node != nullptr && array == nullptr) || (required && all.empty())) {
      complain_at(key, fmt::format("{} needs '{}', a list of texts", m_name, key), R"(as in ["make", "-j2"])");
    }
    return all;
  }

  // Nothing where it is absent.
  std::optional<TableReader> table(std::string_view key, std::string name) const
  {
    const toml::node* node = m_table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    if (!node->is_table()) {
      complain_at(key, fmt::format("'{}' must be a table", key), "");
    }
    return TableReader(*node->as_table(), std::move(name), m_origin);
  }

  const toml::table& raw() const { return m_table; }

private:
  const toml::table& m_table;
  std::string m_name, m_origin;
};

std::string value_text(const TableReader& reader, const toml::node& node)
{
  if (const auto* text = node.as_string()) {
    return **text;
  }
  if (const auto* whole = node.as_integer()) {
    return std::to_string(**whole);
  }
  if (const auto* real = node.as_floating_point()) {
    return fmt::format("{}", **real); // as short as it comes back
  }
  reader.complain("a value is a number or a text", "", node.source());
}

Parameters parameters_of(const TableReader& reader)
{
  Parameters parameters;
  for (const auto& [key, node] : reader.raw()) {
    const std::string name(key.str());
    if (const toml::array* choices = node.as_array()) {
      Choices all;
      for (const toml::node& choice : *choices) {
        all.push_back(value_text(reader, choice));
      }
      if (all.empty()) {
        reader.complain(fmt::format("'{}' has nothing to choose from", name), "", node.source());
      }
      parameters[name] = all;
    } else {
      auto parameter = parameter_from(value_text(reader, node));
      if (!parameter) {
        reader.complain(parameter.error().message, parameter.error().hint, node.source());
      }
      parameters[name] = *parameter;
    }
  }
  return parameters;
}

bool leads_out(const fs::path& path)
{
  return path.empty() || path.is_absolute() || std::ranges::any_of(path, [](const fs::path& p) { return p == ".."; });
}

Result<Tree> read_tree(const fs::path& folder)
{
  Tree tree;
  std::size_t bytes = 0;
  std::error_code code;
  for (auto entry = fs::recursive_directory_iterator(folder, code); !code && entry != fs::end(entry);
       entry.increment(code)) {
    if (entry->is_symlink() || !entry->is_regular_file()) {
      continue;
    }
    HONE_TRY(std::string text, read_file(entry->path()));
    bytes += text.size();
    if (bytes > k_largest_tree) {
      return fail(fmt::format("'{}' holds more than {}", folder.string(), format_bytes(k_largest_tree)),
                  "name the folder of the sources alone", {folder.string(), 1, 0});
    }
    tree[entry->path().lexically_relative(folder).generic_string()] = std::move(text);
  }
  if (code || tree.empty()) {
    return fail(fmt::format("'{}' is no folder with sources", folder.string()),
                "[program] sources names it, beside program.toml", {folder.string(), 1, 0});
  }
  return tree;
}

RegionSpec region_of(const TableReader& reader)
{
  reader.only({"file", "function", "lines", "marked"});
  RegionSpec spec;
  spec.file = reader.text("file");
  spec.function = reader.text("function", "");
  if (reader.has("lines")) {
    const toml::array* lines = reader.raw()["lines"].as_array();
    const auto line = [&](std::size_t i) { return lines == nullptr ? 0 : lines->get(i)->value_or(0); };
    if (lines == nullptr || lines->size() != 2 || line(0) < 1 || line(1) < line(0)) {
      reader.complain_at("lines", "'lines' is the first line and the last", "as in lines = [120, 168]");
    }
    spec.first = line(0);
    spec.last = line(1);
  }
  const int ways = (spec.function.empty() ? 0 : 1) + (spec.first > 0 ? 1 : 0) + (reader.has("marked") ? 1 : 0);
  if (ways != 1) {
    reader.complain_at("file", "[region] says its place in one way",
                       "function = \"step\", lines = [120, 168], or "
                       "marked = true");
  }
  return spec;
}

std::vector<OutputSpec> outputs_of(const TableReader& reader)
{
  std::vector<OutputSpec> outputs;
  for (const std::string& words : reader.texts("outputs", true)) {
    OutputSpec output;
    const std::size_t as = words.find(" as ");
    output.name = words.substr(0, as);
    const std::string type = as == words.npos ? "text" : words.substr(as + 4);
    if (type != "text" && type != "f32" && type != "f64") {
      reader.complain_at("outputs", fmt::format("there is no output as '{}'", type), "text, f32 or f64");
    }
    output.as = type == "f32" ? OutputSpec::As::f32 : type == "f64" ? OutputSpec::As::f64 : OutputSpec::As::text;
    if (leads_out(output.name) || (output.name == "stdout" && output.as != OutputSpec::As::text)) {
      reader.complain_at("outputs", fmt::format("'{}' is no output", words),
                         "\"stdout\", \"out.txt\", or \"field.bin as f64\", below the folder that the program runs in");
    }
    outputs.push_back(output);
  }
  return outputs;
}

// Each parameter that the command, the input or a file names must have a value everywhere.
void check_parameters(const Program& program, const TableReader& root)
{
  std::set<std::string> named;
  const auto note = [&](const std::string& text) {
    for (std::string& name : names_in(text)) {
      named.insert(std::move(name));
    }
  };
  std::ranges::for_each(program.run, note);
  named.erase("tree");
  note(program.input);
  for (const auto& [name, text] : program.files) {
    note(text);
  }
  const auto check = [&](const auto& values, const std::string& where) {
    for (const std::string& name : named) {
      if (!values.contains(name)) {
        root.complain(fmt::format("{} gives '{}' no value", where, name), fmt::format("the program uses {{{}}}", name),
                      root.raw().source());
      }
    }
    for (const auto& [name, value] : values) {
      if (!named.contains(name)) {
        root.complain(fmt::format("{} gives '{}' a value, and the program does not use {{{}}}", where, name, name),
                      "take it away, or use it in run, stdin or files", root.raw().source());
      }
    }
  };
  for (const NamedInput& input : program.inputs) {
    check(input.values, "the input '" + input.name + "'");
  }
  check(program.drawn, "[draw]");
  check(program.time.parameters, "[time] values");
}

void read_inputs(Program& program, const TableReader& root, const std::string& origin)
{
  const toml::array* inputs = root.raw()["inputs"].as_array();
  for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
    const toml::table* table = inputs->get(i)->as_table();
    if (table == nullptr) {
      root.complain_at("inputs", "inputs are [[inputs]]", "");
    }
    const TableReader reader(*table, "an input", origin);
    reader.only({"name", "values"});
    NamedInput input;
    input.name = reader.text("name");
    if (const auto values = reader.table("values", "values")) {
      for (const auto& [key, node] : values->raw()) {
        input.values[std::string(key.str())] = value_text(*values, node);
      }
    }
    program.inputs.push_back(std::move(input));
  }
  if (program.inputs.empty()) {
    root.complain("the program has no input", "give at least one [[inputs]] with a name and values",
                  root.raw().source());
  }
}

void read_main(Program& program, const TableReader& reader)
{
  reader.only({"name", "sources", "build", "run", "stdin", "files", "limit"});
  program.name = reader.text("name");
  program.source_folder = reader.text("sources");
  if (leads_out(program.source_folder)) {
    reader.complain_at("sources", "'sources' leads out of the program's folder", "name a folder below it");
  }
  program.build = reader.texts("build", true);
  program.run = reader.texts("run", true);
  program.input = reader.text("stdin", "");
  constexpr double k_longest_s = 3600;
  program.limit_s = reader.number("limit", program.limit_s, 0.1, k_longest_s);
  if (const auto files = reader.table("files", "[program.files]")) {
    for (const auto& [key, node] : files->raw()) {
      if (leads_out(std::string(key.str())) || !node.is_string()) {
        files->complain(fmt::format("'{}' is no file of the working folder", key.str()), "\"heat.in\" = \"n = {n}\\n\"",
                        key.source());
      }
      program.files[std::string(key.str())] = **node.as_string();
    }
  }
}

void read_verify(Program& program, const TableReader& reader)
{
  constexpr double k_loosest = 0.1;
  constexpr int k_most_fresh = 1000;
  reader.only({"outputs", "relative", "absolute", "ignore", "fresh"});
  program.outputs = outputs_of(reader);
  program.tolerance.relative = reader.number("relative", 0, 0, k_loosest);
  program.tolerance.absolute = reader.number("absolute", 0, 0, 1e300);
  program.ignored = reader.texts("ignore", false);
  program.fresh = reader.whole("fresh", program.fresh, 2, k_most_fresh);
}

void read_time(Program& program, const TableReader& reader)
{
  constexpr int k_most_pairs = 1000, k_most_cpus = 1024;
  constexpr double k_loosest = 0.5;
  reader.only({"values", "pairs", "cpus", "slack"});
  program.time.pairs = reader.whole("pairs", program.time.pairs, k_fewest_pairs, k_most_pairs);
  program.time.cpus = reader.whole("cpus", program.time.cpus, 1, k_most_cpus);
  program.time.slack = reader.number("slack", program.time.slack, 0.001, k_loosest);
  if (const auto values = reader.table("values", "[time] values")) {
    program.time.parameters = parameters_of(*values);
  }
}

void check_region(const Program& program, const TableReader& reader, const fs::path& tree)
{
  if (!program.sources.contains(program.region.file)) {
    std::vector<std::string> names;
    for (const auto& [name, text] : program.sources) {
      names.push_back(name);
    }
    reader.complain_at("file", fmt::format("the sources have no '{}'", program.region.file),
                       did_you_mean(program.region.file, names, "name a file below the source folder"));
  }
  const auto region = find_region(program.region_file(), program.region, (tree / program.region.file).string());
  if (!region) {
    throw Mistake{region.error()};
  }
  const std::string code = code_only(region->text);
  if (std::ranges::count(code, '{') != std::ranges::count(code, '}')) {
    throw Mistake{{"the region opens or closes a brace that it does not match",
                   "move its ends so that whole statements lie in it",
                   {(tree / program.region.file).string(), region->first_line, 0}}};
  }
}

TableReader must(std::optional<TableReader> reader, const TableReader& root, std::string_view name)
{
  if (!reader) {
    root.complain(fmt::format("[{}] is missing", name), "see docs/programs.md", root.raw().source());
  }
  return *std::move(reader);
}

Result<Program> read_program(const toml::table& table, const fs::path& file)
{
  const std::string origin = file.string();
  Program program;
  program.folder = file.parent_path();
  program.file = file;
  const TableReader root(table, "a program", origin);
  root.only({"program", "region", "verify", "inputs", "draw", "time"});
  read_main(program, must(root.table("program", "[program]"), root, "program"));
  const fs::path tree = program.folder / program.source_folder;
  HONE_TRY(program.sources, read_tree(tree));
  const TableReader region = must(root.table("region", "[region]"), root, "region");
  program.region = region_of(region);
  check_region(program, region, tree);
  read_verify(program, must(root.table("verify", "[verify]"), root, "verify"));
  read_inputs(program, root, origin);
  program.drawn = parameters_of(must(root.table("draw", "[draw]"), root, "draw"));
  read_time(program, must(root.table("time", "[time]"), root, "time"));
  check_parameters(program, root);
  return program;
}

} // namespace

Result<Program> load(const fs::path& where)
{
  std::error_code ignored;
  const fs::path file = fs::is_directory(where, ignored) ? where / "program.toml" : where;
  if (!fs::exists(file, ignored)) {
    return fail(fmt::format("there is no program in '{}'", where.string()),
                "a program's folder holds program.toml (docs/programs.md)", {where.string(), 0, 0});
  }
  HONE_TRY(const std::string text, read_file(file));
  try {
    return read_program(toml::parse(text, file.string()), fs::absolute(file));
  } catch (const toml::parse_error& error) {
    return fail(
      std::string(error.description()), "",
      {file.string(), static_cast<int>(error.source().begin.line), static_cast<int>(error.source().begin.column)});
  } catch (const Mistake& mistake) {
    return std::unexpected(mistake.error);
  }
}

} // namespace hone::program
