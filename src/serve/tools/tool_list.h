// The one list of tools, and what several of them share. (internal to the serve room)
#pragma once

#include "record/verdict.h"
#include "serve/tool.h"
#include "store/store.h"

namespace hone::serve {

Tool list_kernels_tool();
Tool read_kernel_tool();
Tool list_steps_tool();
Tool read_candidate_tool();
Tool write_candidate_tool();
Tool run_candidate_tool();
Tool profile_candidate_tool();
Tool apply_step_tool();
Tool optimize_tool();
Tool compare_tool();
Tool ship_tool();
Tool job_tool();

std::vector<Tool> all_tools();

// What a record says in a few members: status, reason, mismatch, log, failed checks, times, comparison, seed.
Json short_verdict(const record::Verdict& verdict);
// "FAST 1.23x [1.22, 1.24]"; empty where nothing was compared.
std::string comparison_text(const record::Verdict& verdict);
// How a step of a workflow went, in one object.
Json short_step(const store::Step& step);

} // namespace hone::serve
