#include "lower/lower.h"

#include "lower/candidate_text.h"
#include "lower/contraction_lowering.h"
#include "lower/device/item_lowering.h"
#include "lower/device/launches.h"
#include "lower/dot_lowering.h"
#include "lower/element_lowering.h"
#include "lower/rowwise_lowering.h"
#include "lower/statement_lowering.h"
#include "lower/window_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::lower {

namespace {

std::string macros_file(const kernel::Kernel& kernel, const LoweredProgram& program)
{
  const std::string title = "// " + kernel.name + ": names that the device code uses.";
  if (program.macros.empty()) {
    return title + " None yet.\n#pragma once\n";
  }
  return title + "\n#pragma once\n" + print(program.macros);
}

// A form of schedule and its compiler.
struct Form {
  std::string_view name;
  Result<LoweredProgram> (*lower)(const kernel::Kernel&, const Schedule&, const Dialect&);
  bool work_items = false; // for groups with work-items, or for groups that are one thread
};

constexpr std::array k_forms = {Form{"contraction", lower_contraction},
                                Form{"dots", lower_dots},
                                Form{"rows", lower_rows},
                                Form{"windows", lower_window_stages},
                                Form{"elements", lower_elements},
                                Form{"items", lower_items, true},
                                Form{"group-rows", lower_group_rows, true}};

Result<LoweredProgram> lower_program(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  const auto form = std::ranges::find_if(
    k_forms, [&](const Form& one) { return one.name == schedule.form && one.work_items == dialect.work_items; });
  if (form != k_forms.end() && !form->work_items && kernel::is_ordered(kernel.program)) {
    return fail("statements inside loops that run in order have no form but plain loops",
                "start again from the naive candidate");
  }
  return form == k_forms.end() ? lower_statements(kernel, dialect) : form->lower(kernel, schedule, dialect);
}

} // namespace

Result<kernel::Candidate> lower_schedule(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  HONE_TRY(LoweredProgram program, lower_program(kernel, schedule, dialect));
  ProgramBlock text = device_preamble(kernel, dialect);
  if (dialect.work_items) {
    append(program.macros, device::prelude_for(dialect, program.device));
  }
  append(text, std::move(program.device));
  HONE_TRY(kernel::Candidate candidate, kernel::make_candidate(kernel, {{dialect.device_file, print(text)},
                                                                        {"macros.h", macros_file(kernel, program)},
                                                                        {"launch.toml", print_plan(program.plan)}}));
  candidate.schedule = to_toml(schedule);
  return candidate;
}

Result<kernel::Candidate> naive_candidate(const kernel::Kernel& kernel, const Dialect& dialect)
{
  if (kernel.program.statements.empty()) {
    return fail(fmt::format("no first candidate can be derived: '{}' has no expression", kernel.name),
                fmt::format("bring one in start/{}: {}, macros.h, launch.toml", dialect.name, dialect.device_file),
                {kernel::start_folder(kernel.folder, dialect.name).string(), 0, 0});
  }
  return lower_schedule(kernel, naive_schedule(kernel), dialect);
}

} // namespace hone::lower
