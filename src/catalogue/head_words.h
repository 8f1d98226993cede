// The keys and words of a transformation's head, for the reader and for the schema. (internal to the transform room)
#pragma once

#include "catalogue/catalogue.h"

#include <array>
#include <string>
#include <vector>

namespace hone::catalogue {

inline const std::vector<std::string> k_head_keys = {"name",     "intent", "bottleneck", "speed",  "classes",   "types",
                                                     "backends", "after",  "conflicts",  "passes", "parameters"};
inline const std::vector<std::string> k_parameter_keys = {"name", "values", "meaning"};
inline const std::vector<std::string> k_pass_keys = {"name", "region"};
// "group-outputs or matrix-instructions": one of them is enough.
inline std::vector<std::string> alternatives_in(const std::string& entry)
{
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = entry.find(" or ", begin)) != std::string::npos; begin = at + 4) {
    out.push_back(entry.substr(begin, at - begin));
  }
  out.push_back(entry.substr(begin));
  return out;
}

inline const std::vector<std::string> k_backend_names = {"cpu", "opencl", "hlsl", "cuda", "hip"};
inline constexpr std::array k_speeds = {Speed::faster, Speed::neutral, Speed::later};
inline constexpr std::array k_regions = {Region::macros, Region::device, Region::launch};
inline constexpr std::array k_classes = {kernel::KernelClass::contraction, kernel::KernelClass::row_reduction,
                                         kernel::KernelClass::map,         kernel::KernelClass::general,
                                         kernel::KernelClass::convolution, kernel::KernelClass::pooling,
                                         kernel::KernelClass::recurrence,  kernel::KernelClass::products};
inline constexpr std::array k_types = {kernel::DataType::f64,  kernel::DataType::f32, kernel::DataType::f16,
                                       kernel::DataType::bf16, kernel::DataType::i64, kernel::DataType::i32,
                                       kernel::DataType::i16,  kernel::DataType::i8,  kernel::DataType::u32,
                                       kernel::DataType::u16,  kernel::DataType::u8,  kernel::DataType::boolean};

template <class Values> std::vector<std::string> names_of(const Values& values)
{
  std::vector<std::string> names;
  for (const auto value : values) {
    names.emplace_back(name_of(value));
  }
  return names;
}

} // namespace hone::catalogue
