#include "lower/schedule.h"

#include "lower/contraction_view.h"
#include "lower/products.h"
#include "util/util.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace hone::lower {

namespace {

// What is simply said or not.
constexpr std::array<std::pair<std::string_view, bool Schedule::*>, 16> k_flags{
  {{"macros", &Schedule::macros},
   {"fused", &Schedule::fused},
   {"running", &Schedule::running},
   {"streaming", &Schedule::streaming},
   {"prefetch", &Schedule::prefetch},
   {"prefetch_rows", &Schedule::prefetch_rows},
   {"prefetch_output", &Schedule::prefetch_output},
   {"in_passing", &Schedule::in_passing},
   {"spread", &Schedule::spread},
   {"split", &Schedule::split},
   {"register_broadcast", &Schedule::register_broadcast},
   {"balanced", &Schedule::balanced},
   {"dot_remainders", &Schedule::dot_remainders},
   {"column_sums", &Schedule::column_sums},
   {"joined_strips", &Schedule::joined_strips},
   {"fixed_sizes", &Schedule::fixed_sizes}}};

constexpr std::array<std::pair<Dimension, std::string_view>, 4> k_dimensions = {
  {{Dimension::batch, "batch"}, {Dimension::m, "m"}, {Dimension::n, "n"}, {Dimension::k, "k"}}};
constexpr std::array<std::pair<LoopKind, std::string_view>, 3> k_kinds = {
  {{LoopKind::group, "group"}, {LoopKind::serial, "serial"}, {LoopKind::registers, "registers"}}};

template <class Value, class Table> std::string_view spell(const Table& table, Value value)
{
  for (const auto& [entry, name] : table) {
    if (entry == value) {
      return name;
    }
  }
  return "";
}

template <class Value, class Table>
Result<Value> look_up(const Table& table, const std::string& name, const std::string& origin)
{
  for (const auto& [entry, known] : table) {
    if (known == name) {
      return entry;
    }
  }
  return fail(fmt::format("unknown word \"{}\" in a schedule", name), "let the built-in engine write schedules",
              {origin, 0, 0});
}

std::string toml_strings(const std::vector<std::string>& items)
{
  std::vector<std::string> quoted;
  for (const std::string& item : items) {
    quoted.push_back("\"" + item + "\"");
  }
  return "[" + join(quoted, ", ") + "]";
}

std::vector<std::string> strings_of(const toml::node_view<const toml::node>& node)
{
  std::vector<std::string> out;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& item : *array) {
      out.push_back(item.value_or(std::string{}));
    }
  }
  return out;
}

Result<ScheduledLoop> parse_loop(const toml::table& table, const std::string& origin)
{
  ScheduledLoop loop;
  HONE_TRY(loop.dimension, look_up<Dimension>(k_dimensions, table["over"].value_or(std::string{}), origin));
  HONE_TRY(loop.kind, look_up<LoopKind>(k_kinds, table["kind"].value_or(std::string{}), origin));
  loop.step = table["step"].value_or(std::string("1"));
  loop.vector = table["vector"].value_or(false);
  loop.unroll = table["unroll"].value_or(std::string{});
  return loop;
}

kernel::TuningParameter parse_parameter(const toml::table& table)
{
  kernel::TuningParameter parameter;
  parameter.name = table["name"].value_or(std::string{});
  parameter.default_value = table["default"].value_exact<std::int64_t>().value_or(0);
  if (const toml::array* values = table["values"].as_array()) {
    for (const toml::node& value : *values) {
      parameter.values.push_back(value.value_exact<std::int64_t>().value_or(0));
    }
  }
  return parameter;
}

constexpr std::array<std::string_view, 8> k_form_names = {"contraction", "statements", "rows",  "dots",
                                                          "windows",     "elements",   "items", "group-rows"};

// Words that need no escapes, so that what is read can be written again, and printed into code and plans.
Result<void> check_words(const Schedule& schedule, const std::string& origin)
{
  if (std::ranges::find(k_form_names, schedule.form) == k_form_names.end()) {
    return fail("this schedule has a form that is not known here", "start again from the naive candidate",
                {origin, 0, 0});
  }
  std::vector<std::string> words = schedule.done;
  words.insert(words.end(), schedule.constraints.begin(), schedule.constraints.end());
  for (const ScheduledLoop& loop : schedule.loops) {
    words.insert(words.end(), {loop.step, loop.unroll});
  }
  for (const kernel::TuningParameter& parameter : schedule.tuning) {
    words.push_back(parameter.name);
  }
  const auto plain = [](const std::string& word) {
    return std::ranges::all_of(word, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  };
  if (!std::ranges::all_of(words, plain)) {
    return fail("this schedule holds a quote, a backslash or a line break", "start again from the naive candidate",
                {origin, 0, 0});
  }
  return {};
}

// How many loops of a kind a form has. What rewrites and prints schedules relies on it.
struct LoopCount {
  std::string_view form;
  Dimension dimension;
  LoopKind kind;
  int least, most;
};

constexpr std::array k_loop_counts = {LoopCount{"contraction", Dimension::batch, LoopKind::group, 0, 1},
                                      LoopCount{"contraction", Dimension::m, LoopKind::group, 1, 1},
                                      LoopCount{"contraction", Dimension::m, LoopKind::serial, 0, 1},
                                      LoopCount{"contraction", Dimension::m, LoopKind::registers, 0, 1},
                                      LoopCount{"contraction", Dimension::n, LoopKind::group, 0, 1},
                                      LoopCount{"contraction", Dimension::n, LoopKind::serial, 1, 2},
                                      LoopCount{"contraction", Dimension::n, LoopKind::registers, 0, 1},
                                      LoopCount{"contraction", Dimension::k, LoopKind::serial, 1, 2},
                                      LoopCount{"rows", Dimension::m, LoopKind::group, 1, 1},
                                      LoopCount{"rows", Dimension::n, LoopKind::group, 0, 1},
                                      LoopCount{"rows", Dimension::n, LoopKind::serial, 1, 1},
                                      LoopCount{"rows", Dimension::n, LoopKind::registers, 0, 1},
                                      LoopCount{"windows", Dimension::batch, LoopKind::group, 0, 1},
                                      LoopCount{"windows", Dimension::m, LoopKind::registers, 0, 1},
                                      LoopCount{"windows", Dimension::n, LoopKind::registers, 1, 1}};

// Each kind as often as its form has it, and groups around the loops inside them, around what is in registers.
Result<void> check_loops(const Schedule& schedule, const std::string& origin)
{
  const auto wrong = [&](const std::string& what) {
    return fail(fmt::format("this schedule {}", what), "start again from the naive candidate", {origin, 0, 0});
  };
  std::size_t known = 0;
  for (const LoopCount& wanted : k_loop_counts) {
    if (wanted.form != schedule.form) {
      continue;
    }
    const auto count = std::ranges::count_if(schedule.loops, [&](const ScheduledLoop& loop) {
      return loop.dimension == wanted.dimension && loop.kind == wanted.kind;
    });
    if (count < wanted.least || count > wanted.most) {
      return wrong(fmt::format("has {} loops over {} of the kind {}", count, name_of(wanted.dimension),
                               spell(k_kinds, wanted.kind)));
    }
    known += static_cast<std::size_t>(count);
  }
  if (known != schedule.loops.size()) {
    return wrong("has loops that its form does not have");
  }
  if (schedule.form != "windows" && !std::ranges::is_sorted(schedule.loops, {}, &ScheduledLoop::kind)) {
    return wrong("has groups inside of loops, or loops inside of registers");
  }
  return {};
}

std::string print_loop(const ScheduledLoop& loop)
{
  std::string out = fmt::format("\n[[loop]]\nover = \"{}\"\nkind = \"{}\"\nstep = \"{}\"\n", name_of(loop.dimension),
                                spell(k_kinds, loop.kind), loop.step);
  if (loop.vector) {
    out += "vector = true\n";
  }
  if (!loop.unroll.empty()) {
    out += fmt::format("unroll = \"{}\"\n", loop.unroll);
  }
  return out;
}

} // namespace

std::string_view name_of(Dimension dimension)
{
  return spell(k_dimensions, dimension);
}

bool Schedule::has_done(std::string_view transformation) const
{
  return std::find(done.begin(), done.end(), transformation) != done.end();
}

bool Schedule::has_parameter(std::string_view name) const
{
  return std::ranges::find(tuning, name, &kernel::TuningParameter::name) != tuning.end();
}

bool Schedule::is_packed(Dimension dimension) const
{
  return std::find(packed.begin(), packed.end(), dimension) != packed.end();
}

Schedule naive_schedule(const kernel::Kernel& kernel)
{
  Schedule schedule;
  const std::optional<kernel::Kernel> product = leading_product(kernel);
  const Result<ContractionView> view = contraction_view(product ? *product : kernel);
  if (!view) {
    return schedule;
  }
  schedule.form = "contraction";
  if (!view->batch.empty()) {
    schedule.loops.push_back({Dimension::batch, LoopKind::group, "1", false, ""});
  }
  schedule.loops.push_back({Dimension::m, LoopKind::group, "1", false, ""});
  schedule.loops.push_back({Dimension::n, LoopKind::serial, "1", false, ""});
  schedule.loops.push_back({Dimension::k, LoopKind::serial, "1", false, ""});
  return schedule;
}

std::string to_toml(const Schedule& schedule)
{
  std::vector<std::string> packed;
  for (const Dimension dimension : schedule.packed) {
    packed.emplace_back(name_of(dimension));
  }
  std::string out = "# How the built-in engine arrived at this candidate; any other edit drops this file.\n";
  out += fmt::format("version = 1\nform = \"{}\"\ndone = {}\npacked = {}\nmasked_edges = {}\nconstraints = {}\n",
                     schedule.form, toml_strings(schedule.done), toml_strings(packed),
                     schedule.edges == EdgeTreatment::masked, toml_strings(schedule.constraints));
  for (const auto& [name, flag] : k_flags) {
    out += fmt::format("{} = {}\n", name, schedule.*flag);
  }
  for (const ScheduledLoop& loop : schedule.loops) {
    out += print_loop(loop);
  }
  for (const kernel::TuningParameter& parameter : schedule.tuning) {
    std::vector<std::string> values;
    for (const std::int64_t value : parameter.values) {
      values.push_back(std::to_string(value));
    }
    out += fmt::format("\n[[tuning]]\nname = \"{}\"\nvalues = [{}]\ndefault = {}\n", parameter.name, join(values, ", "),
                       parameter.default_value);
  }
  return out;
}

Result<Schedule> parse_schedule(std::string_view text, const std::string& origin)
{
  toml::table table;
  try {
    table = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    return fail(std::string(error.description()), "let the built-in engine write schedules",
                {origin, static_cast<int>(error.source().begin.line), static_cast<int>(error.source().begin.column)});
  }
  const toml::table& root = table;
  if (root["version"].value_exact<std::int64_t>() != 1) {
    return fail("this schedule has a version that is not known here (expected 1)",
                "start again from the naive candidate", {origin, 0, 0});
  }
  Schedule schedule;
  schedule.form = root["form"].value_or(std::string("statements"));
  schedule.done = strings_of(root["done"]);
  schedule.constraints = strings_of(root["constraints"]);
  for (const auto& [name, flag] : k_flags) {
    schedule.*flag = root[name].value_or(false);
  }
  schedule.edges = root["masked_edges"].value_or(false) ? EdgeTreatment::masked : EdgeTreatment::remainder;
  for (const std::string& name : strings_of(root["packed"])) {
    HONE_TRY(const Dimension dimension, look_up<Dimension>(k_dimensions, name, origin));
    schedule.packed.push_back(dimension);
  }
  if (const toml::array* loops = root["loop"].as_array()) {
    for (const toml::node& node : *loops) {
      if (const toml::table* entry = node.as_table()) {
        HONE_TRY(ScheduledLoop loop, parse_loop(*entry, origin));
        schedule.loops.push_back(std::move(loop));
      }
    }
  }
  if (const toml::array* parameters = root["tuning"].as_array()) {
    for (const toml::node& node : *parameters) {
      if (const toml::table* entry = node.as_table()) {
        schedule.tuning.push_back(parse_parameter(*entry));
      }
    }
  }
  HONE_CHECK(check_words(schedule, origin));
  HONE_CHECK(check_loops(schedule, origin));
  return schedule;
}

int find_loop(const Schedule& schedule, Dimension dimension, LoopKind kind)
{
  for (std::size_t i = 0; i < schedule.loops.size(); ++i) {
    if (schedule.loops[i].dimension == dimension && schedule.loops[i].kind == kind) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int find_innermost(const Schedule& schedule, Dimension dimension, LoopKind kind)
{
  for (int i = static_cast<int>(schedule.loops.size()) - 1; i >= 0; --i) {
    const ScheduledLoop& loop = schedule.loops[static_cast<std::size_t>(i)];
    if (loop.dimension == dimension && loop.kind == kind) {
      return i;
    }
  }
  return -1;
}

std::string step_at(const Schedule& schedule, int position)
{
  return position < 0 ? "" : schedule.loops[static_cast<std::size_t>(position)].step;
}

} // namespace hone::lower
