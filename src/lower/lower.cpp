#include "lower/lower.h"

#include "lower/candidate_text.h"
#include "lower/contraction_lowering.h"
#include "lower/statement_lowering.h"

namespace hone {

namespace {

std::string macros_file(const Kernel& kernel, const LoweredProgram& program)
{
  const std::string title = "// " + kernel.name + ": names that the device code uses.";
  if (program.macros.empty()) {
    return title + " None yet.\n#pragma once\n";
  }
  return title + "\n#pragma once\n" + print(program.macros);
}

} // namespace

Result<Candidate> lower_schedule(const Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  const bool nest = schedule.form == "contraction" && !dialect.work_items;
  HONE_TRY(LoweredProgram program,
           nest ? lower_contraction(kernel, schedule, dialect) : lower_statements(kernel, dialect));
  ProgramBlock device = device_preamble(kernel, dialect);
  append(device, std::move(program.device));
  HONE_TRY(Candidate candidate, make_candidate(kernel, {{dialect.device_file, print(device)},
                                                        {"macros.h", macros_file(kernel, program)},
                                                        {"launch.toml", print_plan(program.plan)}}));
  candidate.schedule = to_toml(schedule);
  return candidate;
}

Result<Candidate> naive_candidate(const Kernel& kernel, const Dialect& dialect)
{
  return lower_schedule(kernel, naive_schedule(kernel), dialect);
}

} // namespace hone
