// libclang's cursors of a function as a tree. (internal to the room)
#pragma once

#include "import/c_cursor.h"

#include <string_view>

namespace hone::import {

// An operator that comes out of a macro cannot be read from the text: it stays empty, and `macro_operator` becomes
// true.
CFunction function_of(const CUnit& unit, const CFile& file, CXCursor cursor, bool& macro_operator);
CTopLevel top_level_of(const CUnit& unit, const CFile& file, CXCursor cursor);

} // namespace hone::import
