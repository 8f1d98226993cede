// The ground floor: errors, files, processes, hashes, random numbers, statistics, text.
// Knows where Hone keeps things, and nothing of kernels.
#pragma once

#include "util/disk.h"
#include "util/finding.h"
#include "util/fs.h"
#include "util/hash.h"
#include "util/process.h"
#include "util/random.h"
#include "util/result.h"
#include "util/spawn_setting.h"
#include "util/stats.h"
#include "util/temporary.h"
#include "util/text.h"
#include "util/version.h"
// Also public: "util/compression.h", "util/did_you_mean.h", "util/huge_pages.h", "util/large_vector.h",
// "util/stop_request.h" and
// "util/streaming.h"; "util/json.h" and "util/json_schema.h" too, but they are heavy: include them where they are
// needed.
