// Entries into their tables, and the sums that follow from them.
#include "knowledge/database.h"

#include <algorithm>
#include <cmath>

namespace hone::knowledge {
namespace {

constexpr std::size_t k_longest_detail = 300; // of a failure, as it is counted

// Words that a search finds the entry by; what was found before under this name gives way.
void index_words(Base::Opened& opened, std::string_view kind, const std::string& name, const std::string& text)
{
  change(opened, "INSERT INTO words (kind, name, text) VALUES (?, ?, ?)", std::string(kind), name, text);
}

bool insert(Base::Opened& opened, const State& state)
{
  const Signature& signature = state.signature;
  const int added =
    change(opened, "INSERT OR IGNORE INTO states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", state.id,
           signature.kernel_class, signature.backend, signature.device, signature.types, signature.shape,
           signature.bottleneck, signature.device_name, traits_words(signature), to_json(Entry(state)).dump());
  if (added > 0) {
    index_words(opened, "state", state.id,
                signature.kernel_class + " " + signature.backend + " " + signature.device_name + " " + signature.types
                  + " " + signature.shape + " " + signature.bottleneck + " " + traits_text(signature));
  }
  return added > 0;
}

// The first description stays, so that merging in any order ends in the same unless both sites describe it.
bool insert(Base::Opened& opened, const Technique& technique)
{
  const int added = change(opened, "INSERT OR IGNORE INTO techniques VALUES (?, ?, ?)", technique.name,
                           std::string(name_of(technique.kind)), to_json(Entry(technique)).dump());
  if (added > 0) {
    index_words(opened, "technique", technique.name, technique.name + " " + technique.description);
  }
  return added > 0;
}

double half_lives(std::int64_t from, std::int64_t to)
{
  return std::exp2(-static_cast<double>(to - from) / (k_half_life_days * 86'400));
}

// One more piece of evidence; it may be older than others.
void count_in(Aggregate& all, const Evidence& evidence)
{
  const std::int64_t at = seconds_of(evidence.time_utc);
  if (all.tries == 0 || at > all.as_of) {
    const double factor = all.tries == 0 ? 1 : half_lives(all.as_of, at);
    for (double* one : {&all.weight, &all.sum, &all.squares, &all.failed}) {
      *one *= factor;
    }
    all.as_of = at;
  }
  const double weight = half_lives(at, all.as_of);
  all.tries += 1;
  all.last = std::max(all.last, at);
  all.rewards += evidence.reward;
  all.seconds += evidence.seconds;
  if (evidence.returned) {
    all.returns += 1;
    all.return_sum += *evidence.returned;
  }
  if (!evidence.gain) {
    all.failures += 1;
    all.failed += weight;
    return;
  }
  const double gain = evidence.gain->value;
  all.weight += weight;
  all.sum += weight * gain;
  all.squares += weight * gain * gain;
  if (evidence.predicted) {
    const Interval& interval = evidence.predicted->interval;
    all.predicted += 1;
    all.within += interval.low <= gain && gain <= interval.high ? 1 : 0;
    all.gaps += gain - evidence.predicted->value;
  }
}

Aggregate stored_sums(Base::Opened& opened, const std::string& state, const std::string& technique)
{
  Aggregate all;
  all.state = state;
  all.technique = technique;
  for_rows(
    opened,
    "SELECT state, technique, tries, failures, weight, sum, squares, failed, rewards, returns, return_sum, predicted, "
    "within, gaps, seconds, as_of, last FROM aggregates WHERE state = ? AND technique = ?",
    [&](SQLite::Statement& row) { all = aggregate_in(row, 0); }, state, technique);
  return all;
}

void store_sums(Base::Opened& opened, const Aggregate& all)
{
  if (all.tries == 0) {
    change(opened, "DELETE FROM aggregates WHERE state = ? AND technique = ?", all.state, all.technique);
    return;
  }
  change(opened, "INSERT OR REPLACE INTO aggregates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
         all.state, all.technique, all.tries, all.failures, all.weight, all.sum, all.squares, all.failed, all.rewards,
         all.returns, all.return_sum, all.predicted, all.within, all.gaps, all.seconds, all.as_of, all.last);
}

void count_failure(Base::Opened& opened, const Evidence& evidence, bool searched)
{
  const std::string detail = evidence.detail.substr(0, k_longest_detail);
  const int again = change(
    opened, "UPDATE failures SET times = times + 1 WHERE state = ? AND technique = ? AND kind = ? AND detail = ?",
    evidence.state, evidence.technique, evidence.failure, detail);
  if (again > 0) {
    return;
  }
  change(opened, "INSERT INTO failures VALUES (?, ?, ?, ?, 1, ?)", evidence.state, evidence.technique, evidence.failure,
         detail, evidence.id);
  if (searched) {
    index_words(opened, "failure", evidence.id, evidence.technique + " " + evidence.failure + " " + detail);
  }
}

bool insert(Base::Opened& opened, const Evidence& evidence)
{
  const std::int64_t at = seconds_of(evidence.time_utc);
  Evidence stored = evidence;
  stored.returned.reset(); // it may grow: a column of its own
  SQLite::Statement& row = opened.statement(
    "INSERT OR IGNORE INTO evidence (id, state, technique, at, run, json, returned) VALUES (?, ?, ?, ?, ?, ?, ?)");
  bind_all(row, 1, evidence.id, evidence.state, evidence.technique, at, evidence.run, to_json(Entry(stored)).dump());
  if (evidence.returned) {
    row.bind(7, *evidence.returned);
  }
  if (row.exec() == 0) {
    return false;
  }
  Aggregate all = stored_sums(opened, evidence.state, evidence.technique);
  count_in(all, evidence);
  store_sums(opened, all);
  if (!evidence.failure.empty()) {
    count_failure(opened, evidence, true);
  }
  return true;
}

// The newest holds, of equally new ones that with the larger id: the same on every site, whatever came first.
void hold(Base::Opened& opened, const Change& entry)
{
  const bool restores = entry.kind == Change::Kind::restore;
  const std::string kind(name_of(restores ? Change::Kind::deprecate : entry.kind));
  const double value = restores ? 0 : entry.kind == Change::Kind::deprecate ? 1 : entry.value;
  change(opened,
         "INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, state, technique) DO UPDATE SET "
         "value = excluded.value, change = excluded.change, at = excluded.at "
         "WHERE (excluded.at, excluded.change) > (holding.at, holding.change)",
         kind, entry.state, entry.technique, value, entry.id, seconds_of(entry.time_utc));
}

bool insert(Base::Opened& opened, const Change& entry)
{
  const std::int64_t at = seconds_of(entry.time_utc);
  const std::string kind(name_of(entry.kind));
  const int added = change(opened,
                           "INSERT OR IGNORE INTO changes (id, kind, state, technique, run, at, json) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?)",
                           entry.id, kind, entry.state, entry.technique, entry.run, at, to_json(Entry(entry)).dump());
  if (added == 0) {
    return false;
  }
  hold(opened, entry);
  index_words(opened, "change", entry.id, entry.technique + " " + entry.text);
  return true;
}

} // namespace

bool insert_entry(Base::Opened& opened, const Entry& entry)
{
  return std::visit([&](const auto& one) { return insert(opened, one); }, entry);
}

bool is_forgotten(Base::Opened& opened, const Entry& entry)
{
  bool forgotten = false;
  for_rows(
    opened, "SELECT 1 FROM forgotten WHERE id = ?", [&](SQLite::Statement&) { forgotten = true; }, id_of(entry));
  return forgotten;
}

void hold_anew(Base::Opened& opened, const std::string& state, const std::string& technique)
{
  change(opened, "DELETE FROM holding WHERE state = ? AND technique = ?", state, technique);
  std::vector<Change> all;
  for_rows(
    opened, "SELECT json FROM changes WHERE technique = ? AND state = ?",
    [&](SQLite::Statement& row) { all.push_back(std::get<Change>(parsed_entry(row.getColumn(0).getString()))); },
    technique, state);
  for (const Change& one : all) {
    hold(opened, one);
  }
}

void index_failures_anew(Base::Opened& opened)
{
  change(opened, "DELETE FROM words WHERE kind = 'failure'");
  change(opened,
         "INSERT INTO words (kind, name, text) SELECT 'failure', evidence, technique || ' ' || kind || ' ' || detail "
         "FROM failures");
}

Aggregate sums_of_evidence(Base::Opened& opened, const std::string& state, const std::string& technique)
{
  Aggregate all;
  all.state = state;
  all.technique = technique;
  for_rows(
    opened, "SELECT json, returned FROM evidence WHERE state = ? AND technique = ? ORDER BY at, id",
    [&](SQLite::Statement& row) {
      Evidence evidence = std::get<Evidence>(parsed_entry(row.getColumn(0).getString()));
      if (!row.getColumn(1).isNull()) {
        evidence.returned = row.getColumn(1).getDouble();
      }
      count_in(all, evidence);
    },
    state, technique);
  return all;
}

void sum_anew(Base::Opened& opened, const std::string& state, const std::string& technique)
{
  store_sums(opened, sums_of_evidence(opened, state, technique));
  change(opened, "DELETE FROM failures WHERE state = ? AND technique = ?", state, technique);
  std::vector<Evidence> failed;
  for_rows(
    opened, "SELECT json FROM evidence WHERE state = ? AND technique = ? ORDER BY at, id",
    [&](SQLite::Statement& row) {
      Evidence evidence = std::get<Evidence>(parsed_entry(row.getColumn(0).getString()));
      if (!evidence.failure.empty()) {
        failed.push_back(std::move(evidence));
      }
    },
    state, technique);
  for (const Evidence& evidence : failed) {
    count_failure(opened, evidence, false);
  }
}

} // namespace hone::knowledge
