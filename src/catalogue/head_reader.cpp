#include "catalogue/head_reader.h"

#include "util/did_you_mean.h"
#include "util/text.h"

#include <algorithm>

namespace hone::catalogue {

Place MistakeSink::place(const toml::source_region& source) const
{
  return Place{origin, static_cast<int>(source.begin.line) + line_offset, static_cast<int>(source.begin.column)};
}

void MistakeSink::add(std::string message, std::string hint, const toml::source_region& source)
{
  mistakes.push_back(Error{std::move(message), std::move(hint), place(source)});
}

void HeadReader::only_keys(const std::vector<std::string>& known) const
{
  for (const auto& [key, value] : m_table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) == known.end()) {
      m_sink.add("unknown key '" + name + "' in " + m_what, suggest(name, known), key.source());
    }
  }
}

const toml::source_region& HeadReader::source_of(std::string_view key) const
{
  const toml::node* node = m_table.get(key);
  return node != nullptr ? node->source() : m_table.source();
}

std::string HeadReader::required_string(std::string_view key) const
{
  const toml::node* node = m_table.get(key);
  const std::string name(key);
  if (node == nullptr) {
    m_sink.add(m_what + " has no '" + name + "'", "add a line: " + name + " = \"...\"", m_table.source());
    return {};
  }
  const auto text = node->value_exact<std::string>();
  if (!text || trim(*text).empty()) {
    m_sink.add("'" + name + "' must be a text that is not empty", {}, node->source());
    return {};
  }
  return *text;
}

std::vector<std::string> HeadReader::strings(std::string_view key, const Accept& accept) const
{
  const toml::node* node = m_table.get(key);
  if (node == nullptr) {
    return {};
  }
  const std::string name(key);
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    m_sink.add("'" + name + "' must be a list of names", "write " + name + " = [\"...\"]", node->source());
    return {};
  }
  std::vector<std::string> result;
  for (const toml::node& entry : *array) {
    const auto text = entry.value_exact<std::string>();
    if (!text) {
      m_sink.add("an entry of '" + name + "' is not a text", {}, entry.source());
      continue;
    }
    if (const std::string hint = accept(*text); !hint.empty()) {
      m_sink.add("'" + *text + "' is not known as an entry of '" + name + "'", hint, entry.source());
      continue;
    }
    result.push_back(*text);
  }
  return result;
}

std::vector<std::int64_t> HeadReader::required_naturals(std::string_view key) const
{
  const std::string name(key);
  const toml::array* array = m_table[key].as_array();
  if (array == nullptr || array->empty()) {
    m_sink.add(m_what + " needs '" + name + "', a list of whole numbers", "write " + name + " = [1, 2, 4]",
               source_of(key));
    return {};
  }
  std::vector<std::int64_t> result;
  for (const toml::node& entry : *array) {
    const auto number = entry.value_exact<std::int64_t>();
    if (!number || *number < 0) {
      m_sink.add("an entry of '" + name + "' is not a whole number of at least 0", {}, entry.source());
    } else if (std::ranges::find(result, *number) != result.end()) {
      m_sink.add(std::to_string(*number) + " stands twice in '" + name + "'", {}, entry.source());
    } else {
      result.push_back(*number);
    }
  }
  return result;
}

std::vector<const toml::table*> HeadReader::tables(std::string_view key) const
{
  const toml::node* node = m_table.get(key);
  if (node == nullptr) {
    return {};
  }
  const std::string name(key);
  const toml::array* array = node->as_array();
  std::vector<const toml::table*> result;
  if (array != nullptr) {
    for (const toml::node& entry : *array) {
      if (const toml::table* table = entry.as_table()) {
        result.push_back(table);
      }
    }
  }
  if (array == nullptr || result.size() != array->size()) {
    m_sink.add("'" + name + "' must be an array of tables", "write [[" + name + "]]", node->source());
  }
  return result;
}

std::string suggest(std::string_view word, const std::vector<std::string>& known)
{
  return did_you_mean(word, known, "one of: " + join(known, ", "));
}

} // namespace hone::catalogue
