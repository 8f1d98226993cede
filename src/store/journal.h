// The append-only journal of a workflow in SQLite: records, checkpoints, small values, time spent. Every append is on
// the disk when it returns. Knows records as text only. (internal to the workflow room)
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::store {

struct JournalRecord {
  std::int64_t number = 0;
  std::string id; // the record's identity; several rows may share it (measured again)
  std::string json;
  bool intact = true; // the text still matches the digest written beside it
};

struct JournalCheckpoint {
  std::string id;     // commit
  std::string parent; // commit, or ""
  std::string transformation;
  std::int64_t record = 0; // JournalRecord::number
  std::int64_t number = 0; // counts checkpoints: their order, whatever the clock said; 0: the next one
};

struct JournalValue {
  std::string name;
  std::string value;
};

struct JournalContents; // journal_repair.h

// Wide because each kind of entry is written and read by methods of its own.
class Journal {
public:
  static Result<Journal> open(const fs::path& file); // creates it if there is none
  // Never creates one: nothing if there is none, or the file is not a journal. In a read-only folder, where SQLite
  // cannot read either, it is read from a copy.
  static Result<std::optional<Journal>> open_to_read(const fs::path& file);
  // Whether its creation was interrupted before it held anything.
  static bool is_unfinished(const fs::path& file);
  // A temporary one in place of `file`.
  static Result<Journal> in_memory(const fs::path& file);
  Journal(Journal&&) noexcept;
  ~Journal();

  // With a number: as that row if it is free, else as the next one.
  Result<std::int64_t> append(const std::string& id, const std::string& json, std::int64_t number = 0);
  Result<void> append(const JournalCheckpoint& checkpoint); // no effect if it is there already
  Result<void> fill(const JournalContents& contents);       // all of it or nothing
  Result<void> remember(const std::string& name, const std::string& value);
  Result<void> spend(const std::string& phase, double seconds);

  // If a part of the file is damaged: what the rest holds; a record that cannot be read is returned as not intact.
  Result<std::vector<JournalRecord>> records() const;
  Result<std::vector<JournalRecord>> records_of(const std::string& id) const; // newest first
  Result<std::vector<JournalCheckpoint>> checkpoints() const; // by number; the same where a part is damaged
  Result<std::int64_t> next_checkpoint_number() const;
  Result<std::string> recall(const std::string& name) const; // the newest value, "" when absent
  Result<std::vector<JournalValue>> values() const;          // all that were ever remembered, oldest first
  Result<std::map<std::string, double>> spent() const;
  // SQLite's own findings about the whole file; empty: sound.
  Result<std::vector<std::string>> damage() const;

  const fs::path& file() const;

private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
  explicit Journal(std::unique_ptr<Opened> opened);
};

} // namespace hone::store
