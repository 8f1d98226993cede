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
// "util/compression.h", "util/huge_pages.h" and "util/large_vector.h" are public too; "util/json.h" and
// "util/json_schema.h" as well, but heavy: include them where they are needed.
