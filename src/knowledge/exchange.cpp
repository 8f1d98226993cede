#include "knowledge/exchange.h"

#include "knowledge/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <set>

namespace hone::knowledge {

namespace {

constexpr std::size_t k_all = std::size_t{1} << 40;

std::string head_line(const Base& base)
{
  return Json{{"entry", "base"}, {"format", k_export_format}, {"site", base.site()}}.dump() + "\n";
}

// States, techniques, evidence, changes: what is referred to comes first.
Result<std::int64_t> lines_of(const Base& base, const Filter& given,
                              const std::function<Result<void>(const std::string& json)>& each)
{
  Filter filter = given;
  filter.most = k_all;
  const bool whole = given.is_empty();
  std::int64_t count = 0;
  const auto tell = [&](const Entry& entry) {
    ++count;
    return each(to_json(entry).dump());
  };
  std::set<std::string> states_named, techniques_named;
  std::vector<Change> changes_found;
  if (whole || (filter.failure.empty() && filter.kernel.empty())) {
    HONE_TRY(changes_found, changes(base, filter));
  }
  std::ranges::reverse(changes_found);
  if (!filter.state.empty()) {
    HONE_TRY(filter.state, full_state_id(base, filter.state));
  }
  const auto [condition, values] = evidence_conditions(filter);
  if (!whole) {
    HONE_CHECK(guarded("read", base.file(), [&] {
      SQLite::Statement rows(base.opened().database,
                             "SELECT DISTINCT state, technique FROM evidence WHERE " + condition);
      for (std::size_t i = 0; i < values.size(); ++i) {
        rows.bind(static_cast<int>(i) + 1, values[i]);
      }
      while (rows.executeStep()) {
        states_named.insert(rows.getColumn(0).getString());
        techniques_named.insert(rows.getColumn(1).getString());
      }
    }));
    for (const Change& change : changes_found) {
      states_named.insert(change.state);
      techniques_named.insert(change.technique);
    }
  }
  Filter everything;
  everything.most = k_all;
  HONE_TRY(std::vector<State> all_states, states(base, everything));
  std::ranges::reverse(all_states);
  for (const State& state : all_states) {
    if (whole || states_named.contains(state.id)) {
      HONE_CHECK(tell(state));
    }
  }
  HONE_TRY(const std::vector<Technique> all_techniques, techniques(base, everything));
  for (const Technique& technique : all_techniques) {
    if (whole || techniques_named.contains(technique.name)) {
      HONE_CHECK(tell(technique));
    }
  }
  // One row at a time: there may be millions.
  Result<void> told;
  HONE_CHECK(guarded("read", base.file(), [&] {
    SQLite::Statement rows(base.opened().database,
                           "SELECT json, returned FROM evidence WHERE " + condition + " ORDER BY number");
    for (std::size_t i = 0; i < values.size(); ++i) {
      rows.bind(static_cast<int>(i) + 1, values[i]);
    }
    while (told && rows.executeStep()) {
      std::string json = rows.getColumn(0).getString();
      if (!rows.getColumn(1).isNull()) {
        Json parsed = Json::parse(json, nullptr, false);
        parsed["returned"] = rows.getColumn(1).getDouble();
        json = parsed.dump();
      }
      ++count;
      told = each(json);
    }
  }));
  HONE_CHECK(std::move(told));
  for (const Change& change : changes_found) {
    HONE_CHECK(tell(change));
  }
  return count;
}

// All of one moment, whoever writes meanwhile.
Result<std::int64_t> each_line(const Base& base, const Filter& filter,
                               const std::function<Result<void>(const std::string& json)>& each)
{
  Result<std::int64_t> count = 0;
  HONE_CHECK(guarded("read", base.file(), [&] {
    SQLite::Transaction snapshot(base.opened().database);
    count = lines_of(base, filter, each);
  }));
  return count;
}

// Within a transaction.
Result<void> bring(Base& base, Entry entry, bool again, Brought& brought)
{
  ++brought.read;
  return guarded("write to", base.file(), [&] {
    if (again) {
      change(base.opened(), "DELETE FROM forgotten WHERE id = ?", id_of(entry));
    }
    if (is_forgotten(base.opened(), entry)) {
      ++brought.forgotten;
    } else if (insert_entry(base.opened(), entry)) {
      ++brought.added;
    } else {
      ++brought.known;
    }
  });
}

// What was gained in the end may have become known after the entry was told the first time.
Result<void> bring_return(Base& base, const Entry& entry)
{
  const auto* evidence = std::get_if<Evidence>(&entry);
  return evidence != nullptr && evidence->returned ? base.credit(evidence->id, *evidence->returned) : Result<void>();
}

// A site's name is part of an entry, so that an entry without one would become another entry on each site.
Result<Entry> complete(const Json& json, const std::string& origin, const std::string& site)
{
  HONE_TRY(Entry entry, entry_from(json, origin));
  if (auto* change = std::get_if<Change>(&entry);
      change != nullptr && (change->site.empty() || change->time_utc.empty())) {
    return fail(fmt::format("{}: a change needs a site and a time", origin),
                "docs/knowledge.md says what lines look like");
  }
  std::visit([&](auto& one) { one.site = one.site.empty() ? site : one.site; }, entry);
  return entry;
}

} // namespace

Result<std::int64_t> export_lines(const Base& base, const Filter& filter,
                                  const std::function<Result<void>(std::string_view line)>& write)
{
  HONE_CHECK(write(head_line(base)));
  return each_line(base, filter, [&](const std::string& json) { return write(json + "\n"); });
}

Result<Brought> import_lines(Base& base, std::istream& lines, const std::string& origin, bool again)
{
  Brought brought;
  std::string site = base.site();
  const Result<void> done = base.together([&]() -> Result<void> {
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (line.empty()) {
        continue;
      }
      const std::string place = fmt::format("{}:{}", origin, number);
      HONE_TRY(const Json json, parse_json(line, place));
      if (json.is_object() && json.value("entry", "") == "base") {
        const int format = json.value("format", 0);
        if (format != k_export_format) {
          return fail(fmt::format("format {} of an export is not known", format), "use a newer Hone",
                      Place{place, 0, 0});
        }
        site = json.value("site", site);
        continue;
      }
      HONE_TRY(const Entry entry, complete(json, place, site));
      HONE_CHECK(bring(base, entry, again, brought));
      HONE_CHECK(bring_return(base, entry));
    }
    return {};
  });
  HONE_CHECK(done);
  return brought;
}

Result<Brought> merge(Base& base, const Base& other, bool again)
{
  Brought brought;
  const Result<void> done = base.together([&]() -> Result<void> {
    const auto count = each_line(other, {}, [&](const std::string& text) -> Result<void> {
      HONE_TRY(const Json json, parse_json(text, other.file().string()));
      HONE_TRY(const Entry entry, complete(json, other.file().string(), other.site()));
      HONE_CHECK(bring(base, entry, again, brought));
      return bring_return(base, entry);
    });
    return count ? Result<void>() : std::unexpected(count.error());
  });
  HONE_CHECK(done);
  return brought;
}

Result<Forgotten> forget(Base& base, const Filter& given)
{
  if (given.is_empty()) {
    return fail("nothing was named to forget",
                "name --in-state, --technique, --device, --site, --of-kernel or --older-than; "
                "to forget everything, remove the file");
  }
  Filter filter = given;
  if (!filter.state.empty()) {
    HONE_TRY(filter.state, full_state_id(base, filter.state));
  }
  filter.most = k_all;
  Forgotten forgotten;
  const Result<void> done = base.together([&]() -> Result<void> {
    Base::Opened& opened = base.opened();
    std::set<std::pair<std::string, std::string>> touched;
    const auto [condition, values] = evidence_conditions(filter);
    HONE_TRY(const std::vector<State> gone_states, filter.technique.empty() && filter.kernel.empty()
                                                       && filter.failure.empty() && filter.before.empty()
                                                       && filter.run.empty()
                                                     ? states(base, filter)
                                                     : Result<std::vector<State>>());
    HONE_TRY(const std::vector<Change> gone_changes, changes(base, filter));
    return guarded("write to", base.file(), [&] {
      {
        SQLite::Statement rows(opened.database, "SELECT id, state, technique FROM evidence WHERE " + condition);
        for (std::size_t i = 0; i < values.size(); ++i) {
          rows.bind(static_cast<int>(i) + 1, values[i]);
        }
        std::vector<std::string> ids;
        while (rows.executeStep()) {
          ids.push_back(rows.getColumn(0).getString());
          touched.emplace(rows.getColumn(1).getString(), rows.getColumn(2).getString());
        }
        rows.reset();
        for (const std::string& id : ids) {
          change(opened, "INSERT OR IGNORE INTO forgotten VALUES (?)", id);
          change(opened, "DELETE FROM evidence WHERE id = ?", id);
        }
        forgotten.evidence = static_cast<std::int64_t>(ids.size());
      }
      for (const auto& [state, technique] : touched) {
        sum_anew(opened, state, technique);
      }
      index_failures_anew(opened);
      for (const Change& one : filter.failure.empty() && filter.kernel.empty() ? gone_changes : std::vector<Change>()) {
        // One that holds everywhere is no part of a state.
        if (one.state.empty() && filter.technique.empty() && filter.site.empty() && filter.run.empty()) {
          continue;
        }
        change(opened, "INSERT OR IGNORE INTO forgotten VALUES (?)", one.id);
        change(opened, "DELETE FROM changes WHERE id = ?", one.id);
        hold_anew(opened, one.state, one.technique);
        change(opened, "DELETE FROM words WHERE kind = 'change' AND name = ?", one.id);
        ++forgotten.changes;
      }
      for (const State& state : gone_states) {
        const int removed =
          change(opened, "DELETE FROM states WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM evidence WHERE state = ?1)",
                 state.id);
        if (removed > 0) {
          change(opened, "INSERT OR IGNORE INTO forgotten VALUES (?)", state.id);
          change(opened, "DELETE FROM words WHERE kind = 'state' AND name = ?", state.id);
          ++forgotten.states;
        }
      }
    });
  });
  HONE_CHECK(done);
  return forgotten;
}

} // namespace hone::knowledge
