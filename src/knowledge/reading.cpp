// Entries out of their tables.
#include "knowledge/database.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hone::knowledge {
namespace {

// Conditions on the tables `evidence` or `changes`, with what they compare with.
struct Conditions {
  std::string sql = "1";
  std::vector<std::string> values;

  void add(const std::string& condition, const std::string& value)
  {
    if (!value.empty()) {
      sql += " AND " + condition;
      values.push_back(value);
    }
  }
};

std::string like(const std::string& text)
{
  return "%" + replace_all(replace_all(replace_all(text, "!", "!!"), "%", "!%"), "_", "!_") + "%";
}

void add_state_words(Conditions& conditions, const Filter& filter)
{
  conditions.add("kernel_class = ?", filter.kernel_class);
  conditions.add("backend = ?", filter.backend);
  conditions.add("types = ?", filter.types);
  conditions.add("shape = ?", filter.shape);
  conditions.add("bottleneck = ?", filter.bottleneck);
  if (!filter.device.empty()) {
    conditions.add("(device = ? OR device_name LIKE ? ESCAPE '!')", filter.device);
    conditions.values.push_back(like(filter.device));
  }
}

bool asks_for_state(const Filter& filter)
{
  return !filter.kernel_class.empty() || !filter.backend.empty() || !filter.types.empty() || !filter.shape.empty()
         || !filter.bottleneck.empty() || !filter.device.empty();
}

void add_states_that_match(Conditions& conditions, const Filter& filter)
{
  if (asks_for_state(filter)) {
    Conditions words;
    add_state_words(words, filter);
    conditions.sql += " AND state IN (SELECT id FROM states WHERE " + words.sql + ")";
    conditions.values.insert(conditions.values.end(), words.values.begin(), words.values.end());
  }
}

// Rows of a statement with these conditions; each is told its columns.
template <class Each>
Result<void> select(const Base& base, const std::string& sql, const std::vector<std::string>& values, const Each& each)
{
  return guarded("read", base.file(), [&] {
    SQLite::Statement statement(base.opened().database, sql);
    for (std::size_t i = 0; i < values.size(); ++i) {
      statement.bind(static_cast<int>(i) + 1, values[i]);
    }
    while (statement.executeStep()) {
      each(statement);
    }
  });
}

std::string limited(const Filter& filter)
{
  return fmt::format(" LIMIT {}", filter.most);
}

template <class Kind>
Result<std::vector<Kind>> entries(const Base& base, const std::string& sql, const std::vector<std::string>& values)
{
  std::vector<Kind> found;
  HONE_CHECK(select(base, sql, values, [&](SQLite::Statement& row) {
    found.push_back(std::get<Kind>(parsed_entry(row.getColumn(0).getString())));
  }));
  return found;
}

Result<Filter> with_full_id(const Base& base, Filter filter)
{
  if (!filter.state.empty()) {
    HONE_TRY(filter.state, full_state_id(base, filter.state));
  }
  return filter;
}

} // namespace

Entry parsed_entry(const std::string& json)
{
  const Json parsed = Json::parse(json, nullptr, false);
  auto entry = entry_from(parsed, "a row of the base");
  if (!entry) {
    throw SQLite::Exception(entry.error().message + " (the file is malformed)");
  }
  return std::move(*entry);
}

std::string traits_words(const Signature& signature)
{
  std::string words;
  for (const auto& [name, level] : signature.traits) {
    words += (words.empty() ? "" : ";") + fmt::format("{}={}", name, level);
  }
  return words;
}

std::vector<std::pair<std::string, Signature>> signatures_like(Base::Opened& opened, const Signature& signature)
{
  std::vector<std::pair<std::string, Signature>> found;
  const auto add = [&](SQLite::Statement& row) {
    Signature one;
    one.kernel_class = row.getColumn(1).getString();
    one.backend = row.getColumn(2).getString();
    one.device = row.getColumn(3).getString();
    one.types = row.getColumn(4).getString();
    one.shape = row.getColumn(5).getString();
    one.bottleneck = row.getColumn(6).getString();
    one.device_name = row.getColumn(7).getString();
    // Levels count only where both bottlenecks are known.
    for (const std::string& trait :
         signature.bottleneck.empty() ? std::vector<std::string>() : split(row.getColumn(8).getString(), ';')) {
      const std::size_t at = trait.find('=');
      if (at != std::string::npos) {
        int level = 0;
        std::from_chars(trait.data() + at + 1, trait.data() + trait.size(), level);
        one.traits[trait.substr(0, at)] = level;
      }
    }
    found.emplace_back(row.getColumn(0).getString(), std::move(one));
  };
  constexpr const char* k_columns = "id, kernel_class, backend, device, types, shape, bottleneck, device_name, traits";
  const std::vector<std::string> classes = related_classes(signature.kernel_class);
  if (classes.empty()) {
    static const std::string sql = fmt::format("SELECT {} FROM states", k_columns);
    for_rows(opened, sql.c_str(), add);
  }
  for (const std::string& one : classes) {
    static const std::string sql = fmt::format("SELECT {} FROM states WHERE kernel_class = ?", k_columns);
    for_rows(opened, sql.c_str(), add, one);
  }
  return found;
}

Aggregate aggregate_in(SQLite::Statement& row, int first)
{
  const auto whole = [&](int i) { return row.getColumn(first + i).getInt64(); };
  const auto real = [&](int i) { return row.getColumn(first + i).getDouble(); };
  Aggregate all;
  all.state = row.getColumn(first).getString();
  all.technique = row.getColumn(first + 1).getString();
  all.tries = whole(2);
  all.failures = whole(3);
  all.weight = real(4);
  all.sum = real(5);
  all.squares = real(6);
  all.failed = real(7);
  all.rewards = real(8);
  all.returns = whole(9);
  all.return_sum = real(10);
  all.predicted = whole(11);
  all.within = whole(12);
  all.gaps = real(13);
  all.seconds = real(14);
  all.as_of = whole(15);
  all.last = whole(16);
  return all;
}

Result<std::string> full_state_id(const Base& base, const std::string& prefix)
{
  if (!is_hexadecimal(prefix)) {
    return fail(fmt::format("'{}' is no state", prefix), "`hone knowledge list states` shows their ids");
  }
  std::vector<std::string> ids;
  HONE_CHECK(select(base, "SELECT id FROM states WHERE id >= ? AND id < ? || 'g' LIMIT 2", {prefix, prefix},
                    [&](SQLite::Statement& row) { ids.push_back(row.getColumn(0).getString()); }));
  if (ids.size() != 1) {
    return fail(ids.empty() ? fmt::format("there is no state '{}'", prefix)
                            : fmt::format("several states begin with '{}'", prefix),
                ids.empty() ? "`hone knowledge list states` shows their ids" : "give more digits");
  }
  return ids.front();
}

Result<std::optional<Entry>> Base::find(const std::string& id) const
{
  std::vector<std::string> found;
  for (const char* sql : {"SELECT json FROM techniques WHERE name = ?",
                          "SELECT json FROM states WHERE id >= ?1 AND id < ?1 || 'g' LIMIT 2",
                          "SELECT json FROM changes WHERE id >= ?1 AND id < ?1 || 'g' LIMIT 2",
                          "SELECT json FROM evidence WHERE id >= ?1 AND id < ?1 || 'g' LIMIT 2"}) {
    HONE_CHECK(
      select(*this, sql, {id}, [&](SQLite::Statement& row) { found.push_back(row.getColumn(0).getString()); }));
    if (found.size() > 1) {
      return fail(fmt::format("several entries begin with '{}'", id), "give more digits");
    }
    if (!found.empty()) {
      HONE_TRY(Entry entry, guarded("read", file(), [&] { return parsed_entry(found.front()); }));
      if (auto* evidence = std::get_if<Evidence>(&entry)) {
        HONE_CHECK(select(*this, "SELECT returned FROM evidence WHERE id = ? AND returned IS NOT NULL", {evidence->id},
                          [&](SQLite::Statement& row) { evidence->returned = row.getColumn(0).getDouble(); }));
      }
      return std::optional<Entry>(std::move(entry));
    }
  }
  return std::optional<Entry>();
}

Result<std::vector<State>> states(const Base& base, const Filter& given)
{
  HONE_TRY(const Filter filter, with_full_id(base, given));
  Conditions conditions;
  conditions.add("id = ?", filter.state);
  add_state_words(conditions, filter);
  conditions.add("json_extract(json, '$.site') = ?", filter.site);
  return entries<State>(base,
                        "SELECT json FROM states WHERE " + conditions.sql + " ORDER BY rowid DESC" + limited(filter),
                        conditions.values);
}

Result<std::vector<Technique>> techniques(const Base& base, const Filter& filter)
{
  Conditions conditions;
  conditions.add("name = ?", filter.technique);
  conditions.add("json_extract(json, '$.site') = ?", filter.site);
  return entries<Technique>(base,
                            "SELECT json FROM techniques WHERE " + conditions.sql + " ORDER BY name" + limited(filter),
                            conditions.values);
}

std::pair<std::string, std::vector<std::string>> evidence_conditions(const Filter& filter)
{
  Conditions conditions;
  conditions.add("state = ?", filter.state);
  conditions.add("technique = ?", filter.technique);
  conditions.add("run = ?", filter.run);
  add_states_that_match(conditions, filter);
  if (!filter.kernel.empty()) {
    conditions.add("(json_extract(json, '$.kernel') = ? OR json_extract(json, '$.kernel_hash') = ?)", filter.kernel);
    conditions.values.push_back(filter.kernel);
  }
  conditions.add("json_extract(json, '$.site') = ?", filter.site);
  if (filter.failure == "any") {
    conditions.sql += " AND json_extract(json, '$.failure') <> ''";
  } else {
    conditions.add("json_extract(json, '$.failure') = ?", filter.failure);
  }
  conditions.add("at < CAST(strftime('%s', ?) AS INTEGER)", filter.before);
  return {conditions.sql, conditions.values};
}

Result<std::vector<Evidence>> evidence(const Base& base, const Filter& given)
{
  HONE_TRY(const Filter filter, with_full_id(base, given));
  const auto [sql, values] = evidence_conditions(filter);
  std::vector<Evidence> found;
  HONE_CHECK(select(
    base, "SELECT json, returned FROM evidence WHERE " + sql + " ORDER BY at DESC, number DESC" + limited(filter),
    values, [&](SQLite::Statement& row) {
      Evidence one = std::get<Evidence>(parsed_entry(row.getColumn(0).getString()));
      if (!row.getColumn(1).isNull()) {
        one.returned = row.getColumn(1).getDouble();
      }
      found.push_back(std::move(one));
    }));
  return found;
}

Result<std::vector<Change>> changes(const Base& base, const Filter& given)
{
  HONE_TRY(const Filter filter, with_full_id(base, given));
  Conditions conditions;
  conditions.add("(state = ? OR state = '')", filter.state);
  conditions.add("technique = ?", filter.technique);
  conditions.add("run = ?", filter.run);
  add_states_that_match(conditions, filter);
  conditions.add("json_extract(json, '$.site') = ?", filter.site);
  conditions.add("at < CAST(strftime('%s', ?) AS INTEGER)", filter.before);
  return entries<Change>(
    base, "SELECT json FROM changes WHERE " + conditions.sql + " ORDER BY at DESC, number DESC" + limited(filter),
    conditions.values);
}

Result<std::vector<KnownFailure>> failures(const Base& base, const Filter& given)
{
  HONE_TRY(const Filter filter, with_full_id(base, given));
  Conditions conditions;
  conditions.add("state = ?", filter.state);
  conditions.add("technique = ?", filter.technique);
  conditions.add("kind = ?", filter.failure == "any" ? "" : filter.failure);
  add_states_that_match(conditions, filter);
  std::vector<KnownFailure> found;
  HONE_CHECK(select(base,
                    "SELECT state, technique, kind, detail, times, evidence FROM failures WHERE " + conditions.sql
                      + " ORDER BY times DESC, state, technique" + limited(filter),
                    conditions.values, [&](SQLite::Statement& row) {
                      found.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(),
                                       row.getColumn(2).getString(), row.getColumn(3).getString(),
                                       row.getColumn(4).getInt64(), row.getColumn(5).getString()});
                    }));
  return found;
}

Result<std::vector<Aggregate>> aggregates(const Base& base, const std::string& state)
{
  std::vector<Aggregate> found;
  HONE_CHECK(select(base,
                    fmt::format("SELECT {} FROM aggregates WHERE state = ? ORDER BY technique", k_aggregate_columns),
                    {state}, [&](SQLite::Statement& row) { found.push_back(aggregate_in(row, 0)); }));
  return found;
}

Result<std::vector<std::string>> check(const Base& base)
{
  std::vector<std::string> findings;
  HONE_CHECK(select(base, "PRAGMA integrity_check", {}, [&](SQLite::Statement& row) {
    if (const std::string said = row.getColumn(0).getString(); said != "ok") {
      findings.push_back(said);
    }
  }));
  std::vector<Aggregate> stored;
  HONE_CHECK(select(base, fmt::format("SELECT {} FROM aggregates", k_aggregate_columns), {},
                    [&](SQLite::Statement& row) { stored.push_back(aggregate_in(row, 0)); }));
  std::int64_t tries = 0;
  for (const Aggregate& kept : stored) {
    tries += kept.tries;
    HONE_TRY(const Aggregate counted,
             guarded("read", base.file(), [&] { return sums_of_evidence(base.opened(), kept.state, kept.technique); }));
    const bool same = counted.tries == kept.tries && counted.failures == kept.failures
                      && counted.returns == kept.returns
                      && std::abs(counted.sum - kept.sum) <= 1e-6 * (1 + std::abs(counted.sum));
    if (!same) {
      findings.push_back(
        fmt::format("sums of {} in state {} do not agree with its evidence", kept.technique, kept.state));
    }
  }
  HONE_CHECK(select(base, "SELECT count(*) FROM evidence", {}, [&](SQLite::Statement& row) {
    if (row.getColumn(0).getInt64() != tries) {
      findings.push_back(
        fmt::format("there are {} pieces of evidence, and sums of {}", row.getColumn(0).getInt64(), tries));
    }
  }));
  return findings;
}

} // namespace hone::knowledge
