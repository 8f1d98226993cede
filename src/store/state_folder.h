// Where a workflow lives: STATE/<kernel>-<backend>-<hash>/, with the full key inside. (internal to the workflow room)
#pragma once

#include "store/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::store {

// "matmul-cpu-1a2b3c4d5e6f": readable, and different for different keys.
std::string folder_name(std::string_view kernel_name, const Workflow::Key& key);

// Makes the state folder (ignored by any git repository around it) and the workflow's folder in it.
Result<fs::path> prepare_folder(const fs::path& state, std::string_view kernel_name, const Workflow::Key& key);

// Writes key.json where it is missing or unreadable; refuses a folder that belongs to another key. Call under the lock.
Result<void> settle_key(const fs::path& folder, std::string_view kernel_name, const Workflow::Key& key);

// Whether a workflow's folder says whose it is.
bool has_key(const fs::path& folder);

// Keys of the workflows under a state folder, by folder name; none when there is no such folder.
Result<std::vector<Workflow::Key>> keys_under(const fs::path& state);

} // namespace hone::store
