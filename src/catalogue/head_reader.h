// Reads one TOML table key by key and collects every mistake with its place. (internal to the transform room)
#pragma once

#include "util/result.h"

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::catalogue {

// Where mistakes go, and how positions inside the head become positions in the file.
struct MistakeSink {
  std::string origin;
  int line_offset = 0;
  std::vector<Error> mistakes;

  Place place(const toml::source_region& source) const;
  void add(std::string message, std::string hint, const toml::source_region& source);
};

class HeadReader {
public:
  HeadReader(const toml::table& table, std::string what, MistakeSink& sink)
    : m_table(table), m_what(std::move(what)), m_sink(sink)
  {
  }

  // Reports every key that is not in `known`.
  void only_keys(const std::vector<std::string>& known) const;

  std::string required_string(std::string_view key) const;
  // Missing: empty. `accept` returns what is wrong with an entry, or "" when it is fine.
  using Accept = std::function<std::string(const std::string&)>;
  std::vector<std::string> strings(std::string_view key, const Accept& accept) const;
  std::vector<std::int64_t> required_naturals(std::string_view key) const;
  // Entries of an array of tables; missing: none.
  std::vector<const toml::table*> tables(std::string_view key) const;

  // The place of a key's value, or of the table where the key is missing.
  const toml::source_region& source_of(std::string_view key) const;

private:
  const toml::table& m_table;
  std::string m_what;
  MistakeSink& m_sink;
};

// "did you mean 'x'?", or "one of: ..." where nothing is near.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

} // namespace hone::catalogue
