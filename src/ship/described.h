// Kernel, machine and record in words, for comments and the folder's README. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

std::string title_of(const kernel::Kernel& kernel);        // in one line
std::string meaning_comment(const kernel::Kernel& kernel); // "//   C[m,n] = sum(...)\n"
// What the sizes of a call must meet; empty where there is nothing.
std::string conditions_comment(const kernel::Kernel& kernel);
std::string arguments_comment(const kernel::Kernel& kernel); // "//   A  in   f32 [m, k]\n"
std::string instructions_text(const std::string& isa);       // "AVX-512 (F, BW, CD, DQ, VL), AVX2, FMA, BMI2"
std::string march_of(const std::string& isa);                // "x86-64-v4"
// Options beside -march that decide about speed and results, as Hone sets them.
std::string optimisation_flags(const std::string& isa);

// Work of one call on the measured sizes; 0 where it is not known.
double flops_of(const ExportContext& names);
// "12.3 ms, 87.4 GFLOP/s"; "not measured".
std::string speed_text(const ExportContext& names, double seconds);
// " (95 %: 11.9 ms to 12.8 ms)"; "" without an interval.
std::string range_text(const Interval& range);

} // namespace hone::ship
