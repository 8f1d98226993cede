// A TOML file being read: typed access that collects mistakes with their places. (internal to the room)
#pragma once

#include "kernel/source_map.h"
#include "util/result.h"

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

// Wide because each type of value has a method.
class TomlDocument {
public:
  // An error here is one of TOML itself (a missing quote, ...).
  static Result<TomlDocument> parse(std::string_view text, const std::string& origin);

  const toml::table& root() const { return m_root; }
  const std::string& origin() const { return m_origin; }
  std::vector<Error>& errors() { return m_errors; }

  Place place_of(const toml::node& node) const;
  Place place_of(const toml::key& key) const;
  void report(std::string message, std::string hint, Place place);

  // Reports every key of `table` that is not in `known`, with the nearest one.
  void expect_keys(const toml::table& table, std::span<const std::string_view> known, std::string_view where);

  // The member as a table, string, ...: nothing when it is absent or (reported) of another kind.
  const toml::table* table(const toml::table& parent, std::string_view key);
  const toml::array* array(const toml::table& parent, std::string_view key);
  std::optional<std::string> string(const toml::table& parent, std::string_view key);
  std::optional<std::int64_t> integer(const toml::table& parent, std::string_view key);
  std::optional<bool> boolean(const toml::table& parent, std::string_view key);
  // One of a closed set of words.
  std::optional<std::size_t> word(const toml::table& parent, std::string_view key,
                                  std::span<const std::string_view> words);

  // Positions inside a string value.
  SourceMap map_of(const toml::node& string) const;

  // The members in the order in which they were written; toml++ sorts them by name.
  struct Member {
    std::string name;
    const toml::node* value;
    Place place; // of the key
  };
  std::vector<Member> members(const toml::table& table) const;

private:
  const toml::node* find(const toml::table& parent, std::string_view key, std::string_view kind,
                         bool matches(const toml::node&));

  std::string m_text;
  std::string m_origin;
  toml::table m_root;
  std::vector<Error> m_errors;
};

} // namespace hone::kernel
