// What rewrites of convolutions and pooling share.
#pragma once

#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// An error where a kernel does not go over windows, or where its candidate goes row by row already.
Result<void> check_windows(std::string_view step, const lower::Schedule& schedule, const RewriteSubject& subject);

// An error unless the candidate has vectors of columns, which the other steps work on.
Result<void> check_window_vectors(const lower::Schedule& schedule);

// An error where the windows have been laid out as a matrix: there are no rows any more.
Result<void> check_rows_apart(const lower::Schedule& schedule);

constexpr std::int64_t k_usual_channels = 8; // per tile to begin with, where the registers hold their sums

// What the parameters require of each other, and defaults that meet it: sums that fit the registers.
void update_window_constraints(lower::Schedule& schedule, const lower::Dialect& dialect);

} // namespace hone::rewrite
