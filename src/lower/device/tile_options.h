// How a statement is spread over groups and work-items, as the steps of a schedule say. (internal to the room)
#pragma once

#include "lower/dialect.h"
#include "lower/schedule.h"

#include <string>

namespace hone::lower::device {

// Numbers are "1" or the name of a tuning parameter.
struct TileOptions {
  std::string group_m = "1", group_n = "1"; // work-items of a group, along rows and columns
  std::string tile_m = "1", tile_n = "1";   // rows and vectors of columns that an item computes
  std::string lanes;                        // neighbouring columns side by side in a vector; "": no vectors
  std::string slice_k;                      // terms whose operands are in local memory at a time; "": none are
  std::string pad;                          // unused elements behind each row of a staged block
  bool transposed = false;                  // the block of rows lies term by term
  bool rows_from_memory = false;            // the operand of rows is not staged
  bool overlapped = false;                  // two blocks: one is loaded while the other is used
  std::string unroll_k;                     // terms that are printed as one by the compiler
  std::string group_rows;                   // groups that follow each other share so many rows of groups
  std::string split_k;                      // parts of a sum, which different groups compute; "": one
  std::string unit_groups;                  // groups for each unit of the device, which take tile after tile
  bool swizzled = false;                    // blocks whose rows hold terms are rotated from row to row

  // Matrix instructions: a group consists of warps, each of which computes fragments.
  bool matrix = false;
  std::string warps_m, warps_n;         // of a group, along rows and columns
  std::string fragments_m, fragments_n; // of a warp
  bool warp_groups = false;             // four warps carry out an instruction for all columns of the group
  bool matrix_loads = false;            // fragments are loaded by an instruction of their own
  bool tensor_copies = false;           // warps of their own bring boxes of operands
  std::string cluster;                  // groups beside each other that share boxes of rows; "": none do
  bool tensor_stores = false;           // results go out by boxes of a tensor map
  std::string stages;                   // blocks that asynchronous copies fill ahead of use; "": none do
};

TileOptions tile_options(const Schedule& schedule, const Dialect& dialect);
TileOptions without_staging(TileOptions options);

} // namespace hone::lower::device
