// A base of knowledge: one SQLite file in WAL mode. Any number of processes may read and write it at once; every add is
// one transaction and is on the disk when it returns. Not for network file systems, where WAL does not work.
#pragma once

#include "knowledge/entries.h"
#include "util/fs.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::knowledge {

// $XDG_DATA_HOME/hone/knowledge.db
fs::path default_file();

// Entries for which all that is given holds; empty members ask for nothing.
struct Filter {
  std::string state = {}; // an id, or the beginning of one that is unique
  std::string technique = {};
  std::string kernel = {}; // name or hash
  std::string kernel_class = {}, backend = {}, types = {}, shape = {}, bottleneck = {};
  std::string device = {}; // fingerprint, or a part of the name
  std::string site = {}, run = {};
  std::string failure = {}; // a kind of failure, or "any"
  std::string before = {};  // older than this time in UTC
  std::size_t most = 100;   // entries, the newest first

  bool is_empty() const; // `most` aside
};

struct Counts {
  std::int64_t states = 0, techniques = 0, evidence = 0, failures = 0, changes = 0, sites = 0;
};

// What all evidence of a technique in a state says together. Weights halve in half a year, so that what is old gives
// way; times are seconds since 1970.
struct Aggregate {
  std::string state, technique;
  std::int64_t tries = 0, failures = 0;    // counted, without decay; failures are among the tries
  double weight = 0, sum = 0, squares = 0; // of measured gains, as of `as_of`
  double failed = 0;                       // weight of failures, as of `as_of`
  double rewards = 0;                      // sum over tries
  std::int64_t returns = 0;
  double return_sum = 0;                  // of the most that was gained from there on
  std::int64_t predicted = 0, within = 0; // predictions, and those whose interval held what was measured
  double gaps = 0;                        // sum of measured - predicted
  double seconds = 0;                     // of building, validating and measuring
  std::int64_t as_of = 0, last = 0;

  double weight_at(std::int64_t now) const; // of measured gains
  double failed_at(std::int64_t now) const;
  double mean() const; // of measured gains; 0 where there are none
  double deviation() const;
};
constexpr double k_half_life_days = 180;

// A kind of failure that was seen before.
struct KnownFailure {
  std::string state, technique, kind, detail;
  std::int64_t times = 0;
  std::string evidence; // the first
};

// Wide because it is the only way into a file of knowledge: what is written, and what is looked up by id.
class Base {
public:
  static Result<Base> open(const fs::path& file);                         // made where there is none
  static Result<std::optional<Base>> open_existing(const fs::path& file); // nothing where there is none
  static Result<Base> in_memory();
  Base(Base&&) noexcept;
  Base& operator=(Base&&) noexcept;
  ~Base();

  const fs::path& file() const; // empty: in memory
  const std::string& site() const;

  // False: known before, or forgotten on purpose. A site and a time that are missing are filled in; an id too.
  Result<bool> add(Entry entry);
  // All of what `work` adds, or nothing.
  Result<void> together(const std::function<Result<void>()>& work);
  // What was gained in the end from a step on: written when its trajectory knows. The largest holds.
  Result<void> credit(const std::string& evidence, double returned);

  // The state that a signature is in: the nearest of the same words; else a new one, which inherits from the nearest.
  struct Match {
    State state;
    bool is_new = false;
  };
  Result<Match> match(const Signature& signature);

  Result<Counts> counts() const;
  Result<std::optional<Entry>> find(const std::string& id) const; // or a beginning of an id that is unique

  struct Opened;
  Opened& opened() const { return *m_opened; } // for the files of this room

private:
  explicit Base(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> m_opened;
};

Result<std::vector<State>> states(const Base& base, const Filter& filter);
Result<std::vector<Technique>> techniques(const Base& base, const Filter& filter);
Result<std::vector<Evidence>> evidence(const Base& base, const Filter& filter);
Result<std::vector<Change>> changes(const Base& base, const Filter& filter);
Result<std::vector<KnownFailure>> failures(const Base& base, const Filter& filter); // the most frequent first
Result<std::vector<Aggregate>> aggregates(const Base& base, const std::string& state);

// Damage: of the file (PRAGMA integrity_check), and sums that do not agree with the evidence. Empty: sound.
Result<std::vector<std::string>> check(const Base& base);

} // namespace hone::knowledge
