// The use cases, between a face of Hone (the command line, the MCP server) and the rooms that do the work. A use case
// is a function of a context and a request; what it returns is data that a face shows, or writes with to_json.
// Terminals, options, colours and exit statuses are not its business.
//
//   Observer: told of progress while a use case works   Context: settings, stop, observer
//
// What they stand on: "app/context.h", "app/settings.h", "app/kernel_path.h", "app/workbench.h" (kernel, backend, gate,
// workflow), "app/climb_setup.h", "app/remembered_climb.h", "app/model_setup.h", "app/agent_setup.h",
// "app/blaster_setup.h", "app/instruments.h", "app/report_files.h".
// How results are written: "app/figures.h", "app/library_names.h" and "app/headline.h" (the sentence that a climb ends
// with) for people, "app/result_json.h" for programs. The use cases: "app/climb.h" (optimize, resume),
// "app/climb_plan.h", "app/run_candidate.h", "app/apply_step.h", "app/keep_candidate.h", "app/tune_parameters.h",
// "app/verify.h", "app/compare.h", "app/profile.h" (performance tools), "app/episodes.h" (what agents did),
// "app/knowledge.h" (what was learned), "app/replay.h", "app/history.h" (log, show, diff, checkout), "app/branches.h", "app/ship.h", "app/export.h",
// "app/new_kernel.h", "app/import_function.h", "app/lint.h", "app/mutate.h", "app/study.h", "app/check_kernel.h",
// "app/catalogue.h", "app/list_inputs.h", "app/device.h", "app/doctor.h", "app/fsck.h", "app/clean.h", and of whole
// programs "app/programs.h".
#pragma once

#include "app/context.h"
