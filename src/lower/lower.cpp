#include "lower/lower.h"

#include "lower/candidate_text.h"
#include "lower/contraction_lowering.h"
#include "lower/dot_lowering.h"
#include "lower/element_lowering.h"
#include "lower/rowwise_lowering.h"
#include "lower/statement_lowering.h"
#include "lower/window_lowering.h"

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

// OpenCL C has no conversions for the halves that it only stores; on the CPU they are part of hone.h.
ProgramBlock conversions(const Dialect& dialect, const std::string& code)
{
  ProgramBlock out;
  if (!dialect.work_items) {
    return out;
  }
  if (mentions(code, "hone_to_float") || mentions(code, "hone_to_bf16")) {
    out.push_back(blank_line());
    out.push_back(
      function("static float hone_to_float(ushort bits)", {statement("return as_float((uint)bits << 16);")}));
    out.push_back(blank_line());
    out.push_back(comment("To the nearest, ties to even; a NaN stays one."));
    out.push_back(function("static ushort hone_to_bf16(float value)",
                           {statement("const uint bits = as_uint(value);"),
                            statement("return (ushort)((isnan(value) ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) "
                                      "& 1)) >> 16);")}));
  }
  if (mentions(code, "hone_rounded_to_half")) {
    out.push_back(blank_line());
    out.push_back(function("static float hone_rounded_to_half(float value)",
                           {statement("ushort bits;"), statement("vstore_half(value, 0, (half*)&bits);"),
                            statement("return vload_half(0, (const half*)&bits);")}));
  }
  return out;
}

// A form of schedule and its compiler. Work items know plain statements only.
struct Form {
  std::string_view name;
  Result<LoweredProgram> (*lower)(const kernel::Kernel&, const Schedule&, const Dialect&);
};

constexpr std::array k_forms = {Form{"contraction", lower_contraction}, Form{"dots", lower_dots},
                                Form{"rows", lower_rows}, Form{"windows", lower_windows},
                                Form{"elements", lower_elements}};

Result<LoweredProgram> lower_program(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  const auto form = std::ranges::find(k_forms, schedule.form, &Form::name);
  if (form != k_forms.end() && kernel::is_ordered(kernel.program)) {
    return fail("statements inside loops that run in order have no form but plain loops",
                "start again from the naive candidate");
  }
  return form == k_forms.end() || dialect.work_items ? lower_statements(kernel, dialect)
                                                     : form->lower(kernel, schedule, dialect);
}

} // namespace

Result<kernel::Candidate> lower_schedule(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  HONE_TRY(LoweredProgram program, lower_program(kernel, schedule, dialect));
  ProgramBlock device = device_preamble(kernel, dialect);
  append(device, conversions(dialect, print(program.device)));
  append(device, std::move(program.device));
  HONE_TRY(kernel::Candidate candidate, kernel::make_candidate(kernel, {{dialect.device_file, print(device)},
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
