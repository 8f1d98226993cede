// A schedule: how a kernel is to be computed, as data. The engine's transformations rewrite it; the compiler in
// this room prints it. Written as TOML it travels beside the candidate it made (schedule.toml).
#pragma once

#include "kernel/kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::lower {

// Dimensions of a contraction. Everything that both operands are merely repeated over counts as batch.
enum class Dimension { batch, m, n, k };

std::string_view name_of(Dimension dimension);

// How the iterations of a loop are carried out.
enum class LoopKind {
  group,     // one work-group each
  serial,    // one after the other
  registers, // unrolled: each iteration has its own accumulator
};

// One loop of the nest. It walks what the loop outside it over the same dimension leaves (the whole extent for the
// first) in strides of `step`: "1", or products of tuning parameters and of `lanes` ("TILE_M", "VECTORS * lanes").
struct ScheduledLoop {
  Dimension dimension = Dimension::m;
  LoopKind kind = LoopKind::serial;
  std::string step = "1";
  bool vector = false; // registers over n: each register is a vector of `lanes` elements
  std::string unroll;  // tuning parameter that says how many iterations are printed as one, or ""

  bool operator==(const ScheduledLoop&) const = default;
};

// What happens where a tile sticks out over the edge of the output.
enum class EdgeTreatment {
  remainder, // full tiles first, then loops over what is left
  masked,    // the last tile is computed whole; loads and stores of what is outside are left out
};

struct Schedule {
  // "contraction": the loop nest below. "statements": each statement as plain loops, one launch each. "rows": rows
  // (dimension m) of columns (n), one launch for each statement, or for neighbours together where `fused`. "dots": a
  // contraction of narrow operands in one fixed nest of tiles; only its tuning parameters are free. "windows": a
  // convolution or a pooling; columns (n) in vectors, channels (m) in tiles, blocks of rows as groups over batch.
  // "elements": each statement by itself, its elements or the terms of its sums in vectors; tiles by tuning parameters.
  std::string form = "statements";
  bool fused = false;
  bool running = false;             // rows: a reduction up to the column is carried along from column to column
  bool streaming = false;           // finished outputs are stored past the caches
  std::vector<ScheduledLoop> loops; // outermost first
  std::vector<Dimension> packed;    // operands (named by their free dimension) copied to group->shared
  bool in_passing = false;          // PACK_B says whether B is packed, and whether a strip's first tile does it
  EdgeTreatment edges = EdgeTreatment::remainder;
  bool prefetch = false;           // what the next columns need of B is fetched while these are computed
  bool prefetch_rows = false;      // the first lines of the next tile's rows of A are fetched before the sums begin
  bool prefetch_output = false;    // the output's part of a tile is fetched before its sums begin
  bool spread = false;             // the rows of B that are unrolled together lie far apart
  bool split = false;              // SPLIT_K parts of k in groups of their own; a second launch adds them up
  bool register_broadcast = false; // BROADCAST_ROWS rows of a tile read 16 bytes of A at a time
  bool balanced = false;           // the groups of m have as many tiles, instead of TILE_M rows each and a rest
  bool dot_remainders = false;     // DOT_COLUMNS or fewer columns that do not fill a vector are dot products along k
  bool column_sums = false;        // dots of bytes of one kind: A's are flipped, and sums of B's columns make up for it
  bool joined_strips = false;      // dots: STRIPS strips of B are packed before the first of them is used
  bool fixed_sizes = false;        // sizes are constants; only for kernels that are for their timed sizes alone
  bool macros = false;             // types, index computations and constants have names in macros.h
  std::vector<kernel::TuningParameter> tuning;
  std::vector<std::string> constraints; // plan expressions
  std::vector<std::string> done;        // transformations carried out, in order

  bool has_done(std::string_view transformation) const;
  bool has_parameter(std::string_view name) const;
  bool is_packed(Dimension dimension) const;
};

// Every kernel's first schedule: ijk with a scalar accumulator and one work-group per row for a contraction.
Schedule naive_schedule(const kernel::Kernel& kernel);

std::string to_toml(const Schedule& schedule);
Result<Schedule> parse_schedule(std::string_view toml, const std::string& origin);

// Positions in `loops`, or -1.
int find_loop(const Schedule& schedule, Dimension dimension, LoopKind kind);
int find_innermost(const Schedule& schedule, Dimension dimension, LoopKind kind);
// Step of the loop at a position, "" for position -1.
std::string step_at(const Schedule& schedule, int position);

} // namespace hone::lower
