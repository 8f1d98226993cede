// Whole programs with a region of interest: checked, a region judged, a model asked for a better one, what was kept.
// Their numbers are of tier C, and stay apart from those of kernels.
#pragma once

#include "app/context.h"
#include "program/improve.h"
#include "program/judge.h"
#include "program/records.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct JudgedProgram {
  fs::path folder;
  program::ProgramRecord record;
  bool best = false; // it was kept as the best so far
};

struct ProgramHistory {
  fs::path folder;
  std::string region;
  std::vector<program::ProgramRecord> records;
  std::optional<program::KeptBest> best;
  std::string patch; // of the best; empty where there is none
};

struct ImprovedProgram {
  fs::path folder;
  std::vector<program::ImproveAnswer> answers;
  std::optional<program::KeptBest> best;
};

Result<program::ProgramCheck> check_program(Context& context, const fs::path& where);
// `region_file`: the text that takes the region's place.
Result<JudgedProgram> judge_program(Context& context, const fs::path& where, const fs::path& region_file, bool timing);
Result<ProgramHistory> program_history(const fs::path& where);
// Asks the model of the settings; where none is named, the built-in engine works on the region. `sizes`: "n=1024" items
// for the engine, at which it measures; others have defaults.
Result<ImprovedProgram> improve_program(Context& context, const fs::path& where, const std::vector<std::string>& sizes);

Json to_json(const JudgedProgram& judged);
Json to_json(const ProgramHistory& history);
Json to_json(const ImprovedProgram& improved);

} // namespace hone::app
