// Reads launch.toml.
#include "kernel/candidate.h"
#include "kernel/reserved_names.h"
#include "kernel/toml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace hone::kernel {

namespace {

// Bounds on what a plan may hold, so that no plan is expensive to look at.
constexpr std::size_t k_most_parameters = 64;
constexpr std::size_t k_most_values = 256;
constexpr std::size_t k_most_entries = 256;
constexpr std::size_t k_most_map_dimensions = 5;

bool is_macro_name(std::string_view text)
{
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0])
         && std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

class PlanReader {
public:
  explicit PlanReader(TomlDocument document) : m_document(std::move(document)) {}

  Result<LaunchPlan> read()
  {
    constexpr std::array<std::string_view, 5> sections{"tuning", "scratch", "tensor_map", "prepare", "launch"};
    m_document.expect_keys(m_document.root(), sections, "a launch.toml");
    read_tuning();
    for (const toml::table* table : tables_of("scratch")) {
      read_scratch(*table);
    }
    for (const toml::table* table : tables_of("tensor_map")) {
      read_map(*table);
    }
    for (const toml::table* table : tables_of("prepare")) {
      m_plan.preparation.push_back(read_launch(*table, "[[prepare]]"));
    }
    for (const toml::table* table : tables_of("launch")) {
      m_plan.launches.push_back(read_launch(*table, "[[launch]]"));
    }
    if (m_document.errors().empty() && m_plan.launches.empty()) {
      m_document.report("the plan launches nothing", "add a [[launch]] with kernel, grid and args",
                        {m_document.origin(), 1, 1});
    }
    if (!m_document.errors().empty()) {
      return std::unexpected(m_document.errors().front());
    }
    return std::move(m_plan);
  }

private:
  std::vector<const toml::table*> tables_of(std::string_view name)
  {
    std::vector<const toml::table*> out;
    const toml::array* array = m_document.array(m_document.root(), name);
    if (array == nullptr) {
      return out;
    }
    if (array->size() > k_most_entries) {
      m_document.report(fmt::format("more than {} [[{}]]", k_most_entries, name), "", m_document.place_of(*array));
      return out;
    }
    for (const toml::node& entry : *array) {
      if (entry.is_table()) {
        out.push_back(entry.as_table());
      } else {
        m_document.report(fmt::format("[[{}]] must be tables", name), "", m_document.place_of(entry));
      }
    }
    return out;
  }

  PlanExpression expression(const toml::node& node)
  {
    if (const auto value = node.value_exact<std::int64_t>()) {
      return PlanExpression::constant(*value);
    }
    if (!node.is_string()) {
      m_document.report("expected an integer or an expression in quotes", "\"ceil_div(m, TILE_M)\"",
                        m_document.place_of(node));
      return {};
    }
    auto parsed = PlanExpression::parse(node.as_string()->get(), m_document.map_of(node).at(0));
    if (!parsed) {
      m_document.errors().push_back(std::move(parsed.error()));
      return {};
    }
    return std::move(*parsed);
  }

  void read_tuning()
  {
    const toml::table* tuning = m_document.table(m_document.root(), "tuning");
    if (tuning == nullptr) {
      return;
    }
    for (const TomlDocument::Member& member : m_document.members(*tuning)) {
      if (member.name == "constraints") {
        read_constraints(*member.value);
      } else {
        read_parameter(member);
      }
    }
    if (m_plan.tuning.parameters.size() > k_most_parameters) {
      m_document.report(fmt::format("more than {} tuning parameters", k_most_parameters), "",
                        m_document.place_of(*tuning));
    }
  }

  void read_constraints(const toml::node& node)
  {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() > k_most_entries) {
      m_document.report("constraints is an array of at most 256 expressions",
                        "constraints = [\"TILE_M * TILE_N <= 4096\"]", m_document.place_of(node));
      return;
    }
    for (const toml::node& entry : *array) {
      m_plan.tuning.constraints.push_back(expression(entry));
    }
  }

  void read_parameter(const TomlDocument::Member& member)
  {
    const toml::table* table = member.value->as_table();
    const std::string example = fmt::format("{} = {{ values = [16, 32], default = 16 }}", member.name);
    if (table == nullptr || !is_macro_name(member.name)) {
      m_document.report(fmt::format("'{}' is not a tuning parameter", member.name), example, member.place);
      return;
    }
    constexpr std::array<std::string_view, 2> keys{"values", "default"};
    m_document.expect_keys(*table, keys, fmt::format("the tuning parameter '{}'", member.name));
    TuningParameter parameter;
    parameter.name = member.name;
    const toml::array* values = m_document.array(*table, "values");
    for (std::size_t i = 0; values != nullptr && i < values->size(); ++i) {
      const auto value = values->get(i)->value_exact<std::int64_t>();
      if (!value || std::ranges::find(parameter.values, *value) != parameter.values.end()) {
        m_document.report(fmt::format("the values of '{}' must be different integers", member.name), example,
                          m_document.place_of(*values->get(i)));
        return;
      }
      parameter.values.push_back(*value);
    }
    if (parameter.values.empty() || parameter.values.size() > k_most_values) {
      m_document.report(fmt::format("'{}' needs 1 to {} values", member.name, k_most_values), example, member.place);
      return;
    }
    parameter.default_value = m_document.integer(*table, "default").value_or(parameter.values.front());
    if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end()) {
      m_document.report(
        fmt::format("the default {} of '{}' is not one of its values", parameter.default_value, member.name), example,
        m_document.place_of(*table->get("default")));
    }
    m_plan.tuning.parameters.push_back(std::move(parameter));
  }

  std::optional<std::string> required_string(const toml::table& table, std::string_view key, std::string_view where)
  {
    const auto text = m_document.string(table, key);
    if (!text && table.get(key) == nullptr) {
      m_document.report(fmt::format("{} has no {}", where, key), "", m_document.place_of(table));
    }
    return text;
  }

  void read_scratch(const toml::table& table)
  {
    constexpr std::array<std::string_view, 4> keys{"name", "type", "size", "prepared"};
    m_document.expect_keys(table, keys, "[[scratch]]");
    ScratchSpec scratch;
    scratch.name = required_string(table, "name", "[[scratch]]").value_or("");
    if (table.get("name") != nullptr && (!is_macro_name(scratch.name) || is_reserved_word(scratch.name))) {
      m_document.report(fmt::format("'{}' cannot name a scratch buffer", scratch.name),
                        "letters, digits and _, but no word of C, C++ or OpenCL C",
                        m_document.place_of(*table.get("name")));
    }
    if (const auto type = m_document.word(table, "type", k_type_names)) {
      scratch.type = *data_type_from(k_type_names[*type]);
    }
    if (const toml::node* size = table.get("size")) {
      scratch.size = expression(*size);
    } else {
      m_document.report("[[scratch]] has no size", "size = \"m * n\" (elements)", m_document.place_of(table));
    }
    scratch.prepared = m_document.boolean(table, "prepared").value_or(false);
    m_plan.scratch.push_back(std::move(scratch));
  }

  void read_map(const toml::table& table)
  {
    constexpr std::array<std::string_view, 5> keys{"name", "tensor", "sizes", "box", "swizzle"};
    m_document.expect_keys(table, keys, "[[tensor_map]]");
    MapSpec map;
    map.place = m_document.place_of(table);
    map.name = required_string(table, "name", "[[tensor_map]]").value_or("");
    if (table.get("name") != nullptr && (!is_macro_name(map.name) || is_reserved_word(map.name))) {
      m_document.report(fmt::format("'{}' cannot name a tensor map", map.name),
                        "letters, digits and _, but no word of C++", m_document.place_of(*table.get("name")));
    }
    map.tensor = required_string(table, "tensor", "[[tensor_map]]").value_or("");
    map.sizes = dimensions(table, "sizes", k_most_map_dimensions);
    map.box = dimensions(table, "box", k_most_map_dimensions);
    map.swizzle = m_document.integer(table, "swizzle").value_or(0);
    if (map.sizes.size() != map.box.size()) {
      m_document.report("sizes and box of a tensor map have as many entries",
                        "sizes = [\"k\", \"m\"], box = [\"64\", \"TILE_M\"]: innermost first", map.place);
    }
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128) {
      m_document.report(fmt::format("a swizzle of {} bytes", map.swizzle), "0, 32, 64 or 128", map.place);
    }
    m_plan.maps.push_back(std::move(map));
  }

  std::vector<PlanExpression> dimensions(const toml::table& table, std::string_view key, std::size_t most = 3)
  {
    const toml::node* node = table.get(key);
    std::vector<PlanExpression> out;
    if (node == nullptr) {
      return {PlanExpression::constant(1)};
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
      return {expression(*node)};
    }
    if (array->empty() || array->size() > most) {
      m_document.report(fmt::format("{} has {} entries; expected 1 to {}, x first", key, array->size(), most), "",
                        m_document.place_of(*node));
      return out;
    }
    for (const toml::node& entry : *array) {
      out.push_back(expression(entry));
    }
    return out;
  }

  std::vector<std::string> names(const toml::table& table, std::string_view key)
  {
    std::vector<std::string> out;
    const toml::array* array = m_document.array(table, key);
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const toml::node& entry = *array->get(i);
      if (entry.is_string() && i < k_most_entries) {
        out.push_back(entry.as_string()->get());
      } else {
        m_document.report(fmt::format("{} is an array of at most {} names", key, k_most_entries), "",
                          m_document.place_of(entry));
        break;
      }
    }
    return out;
  }

  void read_fill(const toml::table& table, LaunchSpec& launch)
  {
    const toml::table* fill = m_document.table(table, "fill");
    if (fill == nullptr) {
      return;
    }
    constexpr std::array<std::string_view, 2> keys{"buffer", "value"};
    m_document.expect_keys(*fill, keys, "fill");
    launch.fill_buffer = required_string(*fill, "buffer", "fill").value_or("");
    launch.fill_value = m_document.integer(*fill, "value").value_or(0);
  }

  LaunchSpec read_launch(const toml::table& table, std::string_view section)
  {
    constexpr std::array<std::string_view, 10> keys{"kernel", "grid",   "block", "cluster", "shared",
                                                    "args",   "reduce", "fill",  "when",    "repeat"};
    m_document.expect_keys(table, keys, section);
    LaunchSpec launch;
    launch.place = m_document.place_of(table);
    launch.kernel = required_string(table, "kernel", section).value_or("");
    if (table.get("kernel") != nullptr && !is_macro_name(launch.kernel)) {
      m_document.report(fmt::format("'{}' cannot name a kernel function", launch.kernel), "letters, digits and _",
                        m_document.place_of(*table.get("kernel")));
    }
    launch.grid = dimensions(table, "grid");
    launch.block = dimensions(table, "block");
    if (table.get("cluster") != nullptr) {
      launch.cluster = dimensions(table, "cluster");
    }
    launch.args = names(table, "args");
    launch.reduce = names(table, "reduce");
    read_fill(table, launch);
    if (const toml::node* shared = table.get("shared")) {
      launch.shared = expression(*shared);
    }
    if (const toml::node* when = table.get("when")) {
      launch.when = expression(*when);
    }
    if (const toml::node* repeat = table.get("repeat")) {
      launch.repeat = expression(*repeat);
    }
    return launch;
  }

  TomlDocument m_document;
  LaunchPlan m_plan;
};

} // namespace

Result<LaunchPlan> parse_launch_plan(std::string_view toml, const std::string& origin)
{
  HONE_TRY(TomlDocument document, TomlDocument::parse(toml, origin));
  return PlanReader(std::move(document)).read();
}

} // namespace hone::kernel
