// Which sizes the function takes, and where its scratch lies. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// Whether the function needs memory beside its arrays and what was prepared.
bool needs_workspace(const ExportContext& names);
bool has_layout(const ExportContext& names); // that, or something is prepared
// static int NAME_lay_out(struct NAME_layout*, sizes), which returns one of the header's codes; without scratch
// static int NAME_check(sizes).
Result<std::string> layout_text(const ExportContext& names);
// The call of it: "NAME_lay_out(&layout, m, n)".
std::string layout_call(const ExportContext& names);

} // namespace hone::ship
