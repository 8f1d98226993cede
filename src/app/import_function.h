// A kernel folder made of a function in C or C++.
//
// In three steps, so that a face can ask a person in between: understand_function() ends in a kernel or in questions;
// what a person answers becomes shapes of the request, and it is understood again. write_imported() makes the folder.
// judge_imported() puts the function through the gate against the kernel that was understood.
#pragma once

#include "app/context.h"
#include "import/import.h"

#include <string>
#include <vector>

namespace hone::app {

struct ImportRequest {
  std::string file;
  std::string function; // empty: its only one
  std::string name;     // of the kernel; empty: the function's
  std::string folder;   // to make; empty: ./NAME
  std::vector<std::string> sizes;
  std::vector<std::string> shapes;  // "x=n,2*m" items, the outermost extent first
  std::vector<std::string> domains; // "label=0,c-1" items
  std::string reference;            // of a __global__ function: FILE, FILE:FUNCTION or FUNCTION, in plain C or C++
  std::string tolerance;            // "1e-6" or "1e-6,1e-9": relative, absolute
  std::vector<std::string> include_folders;
  std::vector<std::string> definitions;
};

struct ImportedKernel {
  import::ForeignKernel kernel;
  fs::path folder, file, start; // its kernel.toml and its first candidate: the function
};

Result<import::ForeignAnswer> understand_function(const ImportRequest& request);
// Whether the request says the shape of an argument.
bool knows_shape(const ImportRequest& request, const std::string& argument);

Result<ImportedKernel> write_imported(const ImportRequest& request, const import::ForeignKernel& kernel);
// Arguments without a domain that stand where a function is not defined for all values (sqrt, log, a divisor): their
// values, and not the function, may be at fault when the check fails.
std::vector<std::string> values_to_ask_for(const ImportedKernel& imported);
// A wrong understanding shows in this record.
Result<record::Record> judge_imported(Context& context, const ImportedKernel& imported);

Json to_json(const std::vector<import::Question>& questions);
Json to_json(const ImportedKernel& imported, const record::Verdict& verdict);

} // namespace hone::app
