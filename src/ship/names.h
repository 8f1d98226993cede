// What things are called in a folder that is taken home, and what all of its texts need to know. (internal to the room)
#pragma once

#include "ship/ship.h"

#include <map>
#include <string>
#include <vector>

namespace hone::ship {

struct ExportContext {
  const StandaloneRequest& request;
  kernel::TuningPoint point;                 // complete
  std::string function;                      // "matmul_i8"
  std::string macro;                         // "MATMUL_I8"
  std::map<std::string, std::string> ours;   // words of hone.h -> in the source that is written
  std::map<std::string, std::string> theirs; // words of the candidate that the function needs for itself

  const kernel::Kernel& kernel() const { return request.kernel; }
  bool is_c() const { return request.language == StandaloneLanguage::c; }
  const kernel::LaunchPlan& plan() const { return request.candidate.plan; }
  std::string extension() const { return is_c() ? "c" : "cpp"; }
  bool prepares() const { return !plan().preparation.empty(); }
  bool is_specialised() const { return kernel().also == kernel::AlsoSizes::timed; }
  // Code by hand that looks as if it relied on the alignment that it has under Hone: vectors, intrinsics.
  bool needs_alignment() const;
  const std::string& entry(const std::string& launched) const; // what a launched function is called
  // `wanted`, with underscores until no argument, size or scratch buffer is called so.
  std::string local(std::string wanted) const;
};

// Entries of [[prepare]] and of [[launch]].
std::vector<const kernel::LaunchSpec*> all_launches(const ExportContext& names);

ExportContext standalone_names(const StandaloneRequest& request);

// "const float* A": an argument in the header; halves are passed as their bits. Scalars come by value.
std::string public_parameter(const kernel::Argument& argument);
std::string public_type(kernel::DataType type);
// All parameters of the function: arguments, then sizes. And the same as they are passed on.
std::string public_parameters(const kernel::Kernel& kernel);
// Of NAME_with and of NAME_prepare.
std::string with_parameters(const ExportContext& names);
std::string prepare_parameters(const ExportContext& names);
std::string size_parameters(const kernel::Kernel& kernel); // "int64_t m, int64_t n", "void" where there are none
std::string size_arguments(const kernel::Kernel& kernel);  // "m, n"

// Text with @name@ in the place of each value.
std::string filled(std::string text, const std::map<std::string, std::string>& values);

} // namespace hone::ship
