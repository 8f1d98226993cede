// Foreign code becomes a kernel folder: a function in C, C++, CUDA C++ or HIP is read, what it computes is stated in
// the expression language, and the function itself becomes the kernel's first candidate. Knows C; knows nothing of
// search, and does not judge what it wrote: the gate does.
#pragma once

#include "kernel/kernel.h"
#include "util/fs.h"
#include "util/result.h"

#include <map>
#include <string>
#include <vector>

namespace hone::import {

// The ends of the range of an argument's values, as kernel.toml has them: numbers, or expressions over sizes.
struct ForeignDomain {
  std::string low, high;
};

struct ForeignFunction {
  fs::path file;
  std::string function;                                   // may be empty where the file defines only one
  std::string name;                                       // of the kernel; empty: the function's
  std::vector<std::string> flags;                         // for the front end: -I, -D
  std::map<std::string, std::vector<std::string>> shapes; // extents that do not follow from the code, per argument
  std::map<std::string, ForeignDomain> domains;           // per argument
  kernel::Sizes sizes;                                    // timed sizes; the rest gets defaults
  kernel::Tolerance tolerance;                            // of the results; 0: as it follows from the code
  std::string reference; // for a __global__ function: FILE, FILE:FUNCTION or FUNCTION of the same file, plain C or C++
};

// A property that does not follow from the code, or code that is not understood.
struct Question {
  Error what;
  std::string argument; // whose shape is asked for (--shape ARGUMENT=...); empty: only the code can answer
};

struct ForeignKernel {
  std::string name;
  std::string toml;                         // kernel.toml
  std::string backend = "cpu";              // of the first candidate; "cuda" or "hip" for a __global__ function
  std::map<std::string, std::string> start; // files of the first candidate
  std::vector<std::string> notes;           // what was taken for granted; in kernel.toml too
};

// A kernel, or questions and no kernel. The error: the file cannot be read at all.
struct ForeignAnswer {
  ForeignKernel kernel;
  std::vector<Question> questions;
};
Result<ForeignAnswer> kernel_from(const ForeignFunction& request);
// The same for text that is in no file; `file` names it and decides between the languages.
Result<ForeignAnswer> kernel_from_text(const ForeignFunction& request, const std::string& text);

} // namespace hone::import
