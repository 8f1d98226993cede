#include "kernel/toml_document.h"

#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kernel {

namespace {

std::string_view kind_of(const toml::node& node)
{
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a number";
  case toml::node_type::boolean:
    return "true or false";
  default:
    return "a date or time";
  }
}

std::vector<std::string> strings_of(std::span<const std::string_view> words)
{
  return {words.begin(), words.end()};
}

} // namespace

Result<TomlDocument> TomlDocument::parse(std::string_view text, const std::string& origin)
{
  TomlDocument out;
  out.m_text = text;
  out.m_origin = origin;
  try {
    out.m_root = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    return fail(fmt::format("not valid TOML: {}", error.description()), "",
                {origin, static_cast<int>(at.line), static_cast<int>(at.column)});
  }
  return out;
}

Place TomlDocument::place_of(const toml::node& node) const
{
  const auto& at = node.source().begin;
  return {m_origin, static_cast<int>(at.line), static_cast<int>(at.column)};
}

Place TomlDocument::place_of(const toml::key& key) const
{
  const auto& at = key.source().begin;
  return {m_origin, static_cast<int>(at.line), static_cast<int>(at.column)};
}

void TomlDocument::report(std::string message, std::string hint, Place place)
{
  m_errors.push_back({std::move(message), std::move(hint), std::move(place)});
}

void TomlDocument::expect_keys(const toml::table& table, std::span<const std::string_view> known,
                               std::string_view where)
{
  for (const Member& member : members(table)) {
    if (std::ranges::find(known, member.name) != known.end()) {
      continue;
    }
    const std::vector<std::string> names = strings_of(known);
    report(fmt::format("unknown key '{}' in {}; expected {}", member.name, where, join(names, ", ")),
           did_you_mean(member.name, names), member.place);
  }
}

const toml::node* TomlDocument::find(const toml::table& parent, std::string_view key, std::string_view kind,
                                     bool matches(const toml::node&))
{
  const toml::node* node = parent.get(key);
  if (node == nullptr || matches(*node)) {
    return node;
  }
  report(fmt::format("'{}' must be {}; this is {}", key, kind, kind_of(*node)), "", place_of(*node));
  return nullptr;
}

const toml::table* TomlDocument::table(const toml::table& parent, std::string_view key)
{
  const toml::node* node = find(parent, key, "a table", [](const toml::node& n) { return n.is_table(); });
  return node == nullptr ? nullptr : node->as_table();
}

const toml::array* TomlDocument::array(const toml::table& parent, std::string_view key)
{
  const toml::node* node = find(parent, key, "an array", [](const toml::node& n) { return n.is_array(); });
  return node == nullptr ? nullptr : node->as_array();
}

std::optional<std::string> TomlDocument::string(const toml::table& parent, std::string_view key)
{
  const toml::node* node = find(parent, key, "a string", [](const toml::node& n) { return n.is_string(); });
  return node == nullptr ? std::nullopt : std::optional(node->as_string()->get());
}

std::optional<std::int64_t> TomlDocument::integer(const toml::table& parent, std::string_view key)
{
  const toml::node* node = find(parent, key, "an integer", [](const toml::node& n) { return n.is_integer(); });
  return node == nullptr ? std::nullopt : std::optional(node->as_integer()->get());
}

std::optional<bool> TomlDocument::boolean(const toml::table& parent, std::string_view key)
{
  const toml::node* node = find(parent, key, "true or false", [](const toml::node& n) { return n.is_boolean(); });
  return node == nullptr ? std::nullopt : std::optional(node->as_boolean()->get());
}

std::optional<std::size_t> TomlDocument::word(const toml::table& parent, std::string_view key,
                                              std::span<const std::string_view> words)
{
  const auto text = string(parent, key);
  if (!text) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(words, *text);
  if (found != words.end()) {
    return static_cast<std::size_t>(found - words.begin());
  }
  const std::vector<std::string> names = strings_of(words);
  report(fmt::format("'{}' is not a valid {}; expected one of {}", *text, key, join(names, ", ")),
         did_you_mean(*text, names), place_of(*parent.get(key)));
  return std::nullopt;
}

SourceMap TomlDocument::map_of(const toml::node& string) const
{
  const auto& at = string.source().begin;
  const auto* value = string.as_string();
  return SourceMap::of_toml_string(m_text, static_cast<int>(at.line), static_cast<int>(at.column), value->get(),
                                   m_origin);
}

std::vector<TomlDocument::Member> TomlDocument::members(const toml::table& table) const
{
  std::vector<Member> out;
  for (const auto& [key, value] : table) {
    out.push_back({std::string(key.str()), &value, place_of(key)});
  }
  std::ranges::sort(out, [](const Member& a, const Member& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return out;
}

} // namespace hone::kernel
