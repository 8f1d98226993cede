// What is kept beside a program, in its .hone folder: every record, and the best replacement that was accepted.
#pragma once

#include "program/judge.h"
#include "program/program.h"
#include "program/record.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::program {

struct KeptBest {
  std::string text;
  ProgramRecord record;
};

// records.jsonl, one record a line, the oldest first.
Result<void> add_record(const Program& program, const ProgramRecord& record);
Result<std::vector<ProgramRecord>> all_records(const Program& program);

// Of the sources as they are now; nothing where none was accepted.
Result<std::optional<KeptBest>> best_of(const Program& program);
// Keeps an accepted replacement whose whole-program ratio is the best so far; true where it does. Ratios of two
// judgements are compared, each against the original.
Result<bool> keep_if_best(const Program& program, const std::string& replacement, const ProgramRecord& record);

// The last check of the sources as they are now; nothing where there is none.
Result<void> keep_check(const Program& program, const ProgramCheck& check);
Result<std::optional<ProgramCheck>> kept_check(const Program& program);
Json to_json(const ProgramCheck& check);

// What a replacement changes, as a unified diff for `patch -p1` in the program's folder.
Result<std::string> patch_of(const Program& program, const std::string& replacement);

} // namespace hone::program
