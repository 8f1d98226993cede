// Who is at work on a workflow, for those who only look.
#pragma once

#include "util/fs.h"

#include <string>

namespace hone::store {

// "4711 on host": the Hone that holds the workflow in this folder; "" where nobody does, as after a kill -9.
std::string holder_of(const fs::path& folder);

} // namespace hone::store
