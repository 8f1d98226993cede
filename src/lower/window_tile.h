// One tile of windows: sums in registers while the reduction's loops run. (internal to the room)
#pragma once

#include "lower/packed_windows.h"

namespace hone::lower {

enum class TilePlace {
  inside, // all conditions on columns and channels hold
  edge,   // some lanes or channels have terms that do not count, or lie outside the output
};

// The body of a function of the first column, the first channel, and the constants `channels` and `vectors`. Where
// windows are packed, all lanes count, and only the store knows an edge.
Result<ProgramBlock> window_tile(const WindowCode& code, const PackedWindows* packing, TilePlace place);

} // namespace hone::lower
