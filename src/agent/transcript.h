// Episodes in files: JSON lines, written as they happen, so that an interrupted episode goes on where it was.
//
//   {"episode": {"model": ..., "system": ..., "tools": [...], "about": {...}}}
//   {"turn": {"role": "user", "text": ...}}
//   {"turn": {"role": "assistant", "text": ..., "calls": [...], "usage": {...}}}
//   {"turn": {"role": "tool", "call": ..., "text": ...}}
//   {"end": {"end": "finished", "why": ..., "outcome": {...}}}
#pragma once

#include "agent/episode.h"
#include "util/fs.h"
#include "util/json.h"
#include "util/result.h"

#include <optional>
#include <vector>

namespace hone::agent {

// What a file holds. `about` and `outcome` are the caller's: what was worked on, and what came of it.
struct Transcript {
  Episode episode;
  Json about = Json::object();
  bool ended = false; // else it was interrupted
  Json outcome = Json::object();
};

Json to_json(const Turn& turn);
Result<Turn> turn_from(const Json& json);

// Lines of a file. Each call adds one, and the file is whole after each.
Result<void> begin_transcript(const fs::path& file, const Episode& episode, const Json& about);
Result<void> add_turn(const fs::path& file, const Turn& turn);
Result<void> end_transcript(const fs::path& file, const Episode& episode, const Json& outcome);

// Removes a last line that was cut off by a crash, so that the next one begins a line of its own.
Result<void> drop_torn_line(const fs::path& file);

// A last line that was cut off by a crash is left out. An error: another line is no part of a transcript.
Result<Transcript> read_transcript(const fs::path& file);

} // namespace hone::agent
