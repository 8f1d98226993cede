#include "catalogue/transformation_reader.h"

#include "catalogue/document.h"
#include "catalogue/head_reader.h"
#include "catalogue/head_words.h"
#include "util/hash.h"
#include "util/text.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace hone::catalogue {

namespace {

const std::vector<std::string> k_plain_sections = {"Why", "Snippets", "Pitfalls", "How to check"};
const std::string k_pass_prefix = "Pass: ";
template <class Values>
std::optional<typename Values::value_type> value_named(const Values& values, std::string_view name)
{
  for (const auto value : values) {
    if (name_of(value) == name) {
      return value;
    }
  }
  return std::nullopt;
}

HeadReader::Accept one_of(std::vector<std::string> known)
{
  return [known = std::move(known)](const std::string& word) {
    return std::ranges::find(known, word) != known.end() ? std::string() : suggest(word, known);
  };
}

std::string accept_anything(const std::string&)
{
  return {};
}

std::string accept_backend(const std::string& name)
{
  return kernel::device_file_name(name).empty() ? suggest(name, k_backend_names) : std::string();
}

bool is_step_name(std::string_view name)
{
  return !name.empty() && std::islower(static_cast<unsigned char>(name.front())) != 0
         && std::ranges::all_of(
           name, [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-'; });
}

bool is_macro_name(std::string_view name)
{
  return !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0
         && std::ranges::all_of(
           name, [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

// A name out of a closed set, with the nearest one when it is not in it.
template <class Values>
typename Values::value_type chosen(const HeadReader& head, std::string_view key, const Values& values,
                                   MistakeSink& sink)
{
  const std::string text = head.required_string(key);
  if (text.empty()) {
    return values.front();
  }
  const auto value = value_named(values, text);
  if (!value) {
    sink.add("'" + text + "' is not a " + std::string(key), suggest(text, names_of(values)), head.source_of(key));
  }
  return value.value_or(values.front());
}

void read_name(const HeadReader& head, MistakeSink& sink, Transformation& result)
{
  result.name = head.required_string("name");
  if (result.name.empty()) {
    return;
  }
  if (!is_step_name(result.name)) {
    sink.add("'" + result.name + "' is not a name for a transformation",
             "use lower-case letters, digits and '-', as in 'cache-tiling'", head.source_of("name"));
  }
  const fs::path file(sink.origin);
  if (file.extension() == ".md" && file.stem() != result.name) {
    sink.add("the name '" + result.name + "' differs from the file's name '" + file.stem().string() + "'",
             "rename one of them", head.source_of("name"));
  }
}

void read_passes(const HeadReader& head, const Document& document, MistakeSink& sink, Transformation& result)
{
  const std::vector<const toml::table*> tables = head.tables("passes");
  if (tables.empty()) {
    sink.add("there is no pass", "add [[passes]] with name and region", head.source_of("passes"));
  }
  for (const toml::table* table : tables) {
    const HeadReader entry(*table, "a [[passes]] entry", sink);
    entry.only_keys(k_pass_keys);
    Pass pass;
    pass.name = entry.required_string("name");
    pass.region = chosen(entry, "region", k_regions, sink);
    if (pass.name.empty()) {
      continue;
    }
    if (const Section* section = document.find(k_pass_prefix + pass.name)) {
      pass.instruction = section->text;
    } else {
      sink.add("pass '" + pass.name + "' has no section",
               "add a section '## " + k_pass_prefix + pass.name + "' with the instruction", entry.source_of("name"));
    }
    result.passes.push_back(std::move(pass));
  }
}

bool is_instructed(const Transformation& transformation, const std::string& parameter)
{
  return std::ranges::any_of(transformation.passes,
                             [&](const Pass& pass) { return pass.instruction.find(parameter) != std::string::npos; });
}

// After the passes: a parameter that no instruction mentions could not be introduced by anybody.
void read_parameters(const HeadReader& head, MistakeSink& sink, Transformation& result)
{
  for (const toml::table* table : head.tables("parameters")) {
    const HeadReader entry(*table, "a [[parameters]] entry", sink);
    entry.only_keys(k_parameter_keys);
    TransformationParameter parameter;
    parameter.name = entry.required_string("name");
    parameter.values = entry.required_naturals("values");
    parameter.meaning = entry.required_string("meaning");
    if (!parameter.name.empty() && !is_macro_name(parameter.name)) {
      sink.add("'" + parameter.name + "' is not a name for a macro",
               "use upper-case letters, digits and '_', as in 'TILE_M'", entry.source_of("name"));
    } else if (!is_instructed(result, parameter.name)) {
      sink.add("parameter '" + parameter.name + "' is in no pass's instruction", "say in a pass where it comes in",
               entry.source_of("name"));
    }
    result.parameters.push_back(std::move(parameter));
  }
}

void check_sections(const Document& document, MistakeSink& sink, const Transformation& result)
{
  const auto add = [&](std::string message, std::string hint, int line) {
    sink.mistakes.push_back({std::move(message), std::move(hint), {sink.origin, line, 1}});
  };
  std::vector<std::string> known = k_plain_sections;
  for (const Pass& pass : result.passes) {
    known.push_back(k_pass_prefix + pass.name);
  }
  const int last_line = static_cast<int>(std::ranges::count(result.source, '\n')) + 1;
  for (const std::string& title : k_plain_sections) {
    if (document.find(title) == nullptr) {
      add("section '" + title + "' is missing", "add a section '## " + title + "'", last_line);
    }
  }
  std::vector<std::string> seen;
  for (const Section& section : document.sections) {
    if (std::ranges::find(known, section.title) == known.end()) {
      add("unknown section '" + section.title + "'", suggest(section.title, known), section.line);
    } else if (std::ranges::find(seen, section.title) != seen.end()) {
      add("section '" + section.title + "' stands twice", "join the two", section.line);
    } else if (section.text.empty()) {
      add("section '" + section.title + "' is empty", "write what a reader needs to know here", section.line);
    }
    seen.push_back(section.title);
  }
}

void read_head(const toml::table& table, const Document& document, const std::vector<std::string>& known_names,
               MistakeSink& sink, Transformation& result)
{
  const HeadReader head(table, "the head", sink);
  const HeadReader::Accept accept_step =
    known_names.empty() ? HeadReader::Accept(accept_anything) : one_of(known_names);
  head.only_keys(k_head_keys);
  read_name(head, sink, result);
  result.intent = head.required_string("intent");
  result.bottleneck = head.required_string("bottleneck");
  result.speed = chosen(head, "speed", k_speeds, sink);
  for (const std::string& name : head.strings("classes", one_of(names_of(k_classes)))) {
    result.classes.push_back(*value_named(k_classes, name));
  }
  for (const std::string& name : head.strings("types", one_of(names_of(k_types)))) {
    result.types.push_back(*value_named(k_types, name));
  }
  result.backends = head.strings("backends", accept_backend);
  result.after = head.strings("after", [&](const std::string& entry) {
    std::string wrong;
    for (const std::string& one : alternatives_in(entry)) {
      wrong = wrong.empty() ? accept_step(one) : wrong;
    }
    return wrong;
  });
  result.conflicts = head.strings("conflicts", accept_step);
  read_passes(head, document, sink, result);
  read_parameters(head, sink, result);
}

} // namespace

TransformationReading read_transformation(std::string_view text, const std::string& origin,
                                          const std::vector<std::string>& known_names)
{
  TransformationReading reading;
  reading.transformation.source = text;
  auto document = split_document(text, origin);
  if (!document) {
    reading.mistakes.push_back(std::move(document.error()));
    return reading;
  }
  reading.transformation.body = document->body;
  MistakeSink sink{origin, document->head_line - 1, {}};
  try {
    const toml::table table = toml::parse(document->head, origin);
    read_head(table, *document, known_names, sink, reading.transformation);
    check_sections(*document, sink, reading.transformation);
  } catch (const toml::parse_error& error) {
    sink.add("the head is not valid TOML: " + std::string(error.description()), {}, error.source());
  }
  std::ranges::stable_sort(sink.mistakes, {},
                           [](const Error& error) { return std::tuple(error.place.line, error.place.column); });
  reading.mistakes = std::move(sink.mistakes);
  return reading;
}

std::string_view name_of(Region region)
{
  switch (region) {
  case Region::macros:
    return "macros";
  case Region::device:
    return "device";
  case Region::launch:
    return "launch";
  }
  return "";
}

std::string_view name_of(Speed speed)
{
  switch (speed) {
  case Speed::faster:
    return "faster";
  case Speed::neutral:
    return "neutral";
  case Speed::later:
    return "later";
  }
  return "";
}

std::string Transformation::hash() const
{
  return sha256(source);
}

Result<Transformation> parse_transformation(std::string_view text, const std::string& origin)
{
  TransformationReading reading = read_transformation(text, origin, {});
  if (!reading.mistakes.empty()) {
    return std::unexpected(std::move(reading.mistakes.front()));
  }
  return std::move(reading.transformation);
}

} // namespace hone::catalogue
