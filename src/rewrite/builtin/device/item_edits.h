// What rewrites for devices with work-items share.
#pragma once

#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

#include <string>

namespace hone::rewrite {

// Of a block's line, within which a swizzle moves pieces of 16 bytes.
constexpr int k_line_bytes = 128;

// An error unless a step has been carried out, which others build on.
Result<void> check_done(const lower::Schedule& schedule, const std::string& step);

// An error, `why`, where a step has been carried out that does not go together with this one.
Result<void> check_apart(const lower::Schedule& schedule, const std::string& step, const std::string& why);

// An error unless groups go over tiles: group-outputs or matrix-instructions.
Result<void> check_tiles(const lower::Schedule& schedule);

// Changes the schedule to items that compute tiles. An error if its groups go over rows.
Result<void> make_items(lower::Schedule& schedule);

// What the parameters require of each other.
Result<void> update_item_constraints(lower::Schedule& schedule, const RewriteSubject& subject);

} // namespace hone::rewrite
