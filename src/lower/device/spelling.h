// How a dialect spells a loop program: one table per language. (internal to the room)
#pragma once

#include "lower/device/program.h"
#include "lower/dialect.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace hone::lower::device {

// Lines that a file needs where it uses one of the names.
struct Prelude {
  std::vector<std::string_view> names;
  std::string_view text;
};

struct Spelling {
  std::string_view dialect;                    // as Dialect::name
  std::array<std::string_view, 3> group, item; // coordinates, x first
  std::array<std::string_view, 3> groups;      // how many there are; "": the language does not say
  std::string_view flat;                       // the number of an item among all, along x
  std::string_view barrier;
  std::string_view local; // before the declaration of an array in the group's memory
  std::string_view
    sized_at_launch;          // the declaration of bytes `hone_local` in the group's memory, as many as a launch says
  bool local_outside = false; // such arrays are declared outside of functions
  bool has_parameters = true; // tensors and sizes are parameters; else the platform declares them by their names
  std::string (*type)(kernel::DataType);
  std::string (*unroll)(const std::string& count); // the line before a loop; "" for all of its iterations
  // "__kernel void NAME(PARAMETERS)", with what the group's items say in front of it.
  std::string (*head)(const Function&, const std::string& parameters);
  std::string (*parameter)(const Parameter&);
  // An element of a narrower type than it is computed in; "" where it needs no function.
  std::string (*load_narrow)(kernel::DataType, const std::string& array, const std::string& position);
  std::string (*store_narrow)(kernel::DataType, const std::string& array, const std::string& position,
                              const std::string& value);
  // A function of the kernel language on arguments of a floating-point type; "" where it goes by the same name.
  std::string (*function)(const std::string& name, kernel::DataType);
  // Vectors of one to many lanes (HONE_VECTOR, HONE_LOAD, HONE_STORE, HONE_GATHER, HONE_LANE, HONE_SPREAD), and
  // functions that the language lacks.
  std::vector<Prelude> preludes;
};

// What items of a sub-group make of their values together, by a macro HONE_SUBGROUP(name, type, joined) of the dialect.
Prelude subgroup_functions_f32();
Prelude subgroup_functions_f64();

const Spelling& opencl_spelling();
const Spelling& hlsl_spelling();
const Spelling& cuda_spelling();
const Spelling& hip_spelling();

// The table of a dialect with work-items.
const Spelling& spelling_of(const Dialect& dialect);

} // namespace hone::lower::device
