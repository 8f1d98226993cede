#include "knowledge/database.h"

namespace hone::knowledge {

// The whole entry stands in `json`, as exports have it; other columns are what is looked up. `aggregates`, `failures`
// and `holding` follow from entries and are kept up in the same transactions, so that a question reads no evidence.
const char* const k_schema = R"sql(
CREATE TABLE base (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE states (
  id TEXT PRIMARY KEY,
  kernel_class TEXT NOT NULL, backend TEXT NOT NULL, device TEXT NOT NULL, types TEXT NOT NULL, shape TEXT NOT NULL,
  bottleneck TEXT NOT NULL, device_name TEXT NOT NULL, traits TEXT NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX states_by_words ON states (kernel_class, backend, device);
CREATE TABLE techniques (name TEXT PRIMARY KEY, kind TEXT NOT NULL, json TEXT NOT NULL);
CREATE TABLE evidence (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL, technique TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT NOT NULL,
  json TEXT NOT NULL,
  returned REAL
);
CREATE INDEX evidence_by_technique ON evidence (state, technique, at, id);
CREATE INDEX evidence_by_run ON evidence (run) WHERE run <> '';
CREATE TABLE aggregates (
  state TEXT NOT NULL, technique TEXT NOT NULL,
  tries INTEGER NOT NULL, failures INTEGER NOT NULL,
  weight REAL NOT NULL, sum REAL NOT NULL, squares REAL NOT NULL, failed REAL NOT NULL, rewards REAL NOT NULL,
  returns INTEGER NOT NULL, return_sum REAL NOT NULL,
  predicted INTEGER NOT NULL, within INTEGER NOT NULL, gaps REAL NOT NULL, seconds REAL NOT NULL,
  as_of INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (state, technique)
) WITHOUT ROWID;
CREATE TABLE failures (
  state TEXT NOT NULL, technique TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL,
  times INTEGER NOT NULL, evidence TEXT NOT NULL,
  PRIMARY KEY (state, technique, kind, detail)
) WITHOUT ROWID;
CREATE TABLE changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL, state TEXT NOT NULL, technique TEXT NOT NULL, run TEXT NOT NULL,
  at INTEGER NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX changes_by_technique ON changes (technique, state);
CREATE TABLE holding (
  kind TEXT NOT NULL, state TEXT NOT NULL, technique TEXT NOT NULL,
  value REAL NOT NULL, change TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (kind, state, technique)
) WITHOUT ROWID;
CREATE TABLE forgotten (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (kind UNINDEXED, name UNINDEXED, text, tokenize = 'porter unicode61');
)sql";

} // namespace hone::knowledge
