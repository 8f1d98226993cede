// A checkpoint as files of a commit, and back. (internal to the workflow room)
//
//   candidate/device.cpp, macros.h, launch.toml   the candidate
//   schedule.toml                                 of the built-in engine, where there is one
//   point.json                                    tuning parameter -> value
//   record.json                                   what the gate saw
#pragma once

#include "store/repository.h"
#include "store/store.h"

namespace hone::store {

constexpr const char* k_candidate_folder = "candidate";
constexpr const char* k_record_file = "record.json";

// A record as one line of JSON. Logs inside may hold any bytes: what is not UTF-8 is replaced.
std::string record_text(const record::Record& record);

FileMap checkpoint_files(const kernel::Candidate& candidate, const record::Record& record);

// Subject "cache-tiling: correct FAST 1.87x 12.3 ms", then the figures with their intervals and the identities; last
// the checkpoint's number in the journal, by which a journal made anew from the commits has them in their order.
std::string commit_message(const record::Record& record, std::int64_t number);
std::int64_t number_of(const Commit& commit); // 0 where the message has none

// The candidate's files, and its hash recomputed from them.
std::map<std::string, std::string> candidate_files(const Commit& commit);
std::string candidate_hash(const Commit& commit);

// Fails when a file is missing or unreadable, naming it.
Result<record::Record> record_of(const Commit& commit);
Result<kernel::TuningPoint> point_of(const Commit& commit);
Result<Checkpoint> checkpoint_of(const kernel::Kernel& kernel, const Commit& commit);

} // namespace hone::store
