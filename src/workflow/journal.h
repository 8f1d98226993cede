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

namespace hone {

struct JournalRecord {
  std::int64_t number = 0;
  std::string id;     // the record's identity; several rows may share it (measured again)
  std::string json;
  bool intact = true; // the text still matches the digest written beside it
};

struct JournalCheckpoint {
  std::string id;     // commit
  std::string parent; // commit, or ""
  std::string transformation;
  std::int64_t record = 0; // JournalRecord::number
};

class Journal {
public:
  static Result<Journal> open(const fs::path& file);
  Journal(Journal&&) noexcept;
  ~Journal();

  Result<std::int64_t> append(const std::string& id, const std::string& json);
  Result<void> append(const JournalCheckpoint& checkpoint); // a checkpoint that is already there stays as it is
  Result<void> remember(const std::string& name, const std::string& value);
  Result<void> spend(const std::string& phase, double seconds);

  Result<std::vector<JournalRecord>> records() const;
  Result<std::vector<JournalRecord>> records_of(const std::string& id) const; // newest first
  Result<std::vector<JournalCheckpoint>> checkpoints() const;
  Result<std::string> recall(const std::string& name) const; // the newest value, "" when absent
  Result<std::map<std::string, double>> spent() const;
  // SQLite's own findings about the file; empty: sound.
  Result<std::vector<std::string>> damage() const;

  const fs::path& file() const;

private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
  explicit Journal(std::unique_ptr<Opened> opened);
};

} // namespace hone
