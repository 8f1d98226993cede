// How verdicts are painted on a terminal, the same in every command. (internal to the cli)
#pragma once

#include "app/figures.h"
#include "app/result_json.h"
#include "cli/terminal.h"

#include <string>

namespace hone::cli {

Tone tone_of(record::Status status);
// Multi-line evidence of one verdict: checks, errors, log.
std::string evidence_text(const Terminal& terminal, const record::Verdict& verdict);

} // namespace hone::cli
