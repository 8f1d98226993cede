#include "import/source.h"

#include "import/c_parser.h"
#include "import/terms.h"
#include "import/threads.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

std::string names_in(const std::vector<const CFunction*>& functions)
{
  std::vector<std::string> names;
  for (const CFunction* function : functions) {
    names.push_back(function->name);
  }
  return join(names, ", ");
}

// The function of that name; without a name the only one that no other calls.
Result<const CFunction*> wanted_function(const CFile& file, const std::string& name, bool global)
{
  std::vector<const CFunction*> all;
  for (const CFunction& function : file.functions) {
    if (function.global == global) {
      all.push_back(&function);
    }
  }
  const std::string what = global ? "__global__ function" : "function";
  if (all.empty()) {
    return global ? fail("the file defines no __global__ function", "give the file with the kernel's body",
                         {file.path, 0, 0})
                  : fail("the file defines no function", "give the file with the function's body", {file.path, 0, 0});
  }
  if (name.empty()) {
    std::vector<const CFunction*> uncalled; // a helper is called by another function of the file
    for (const CFunction* function : all) {
      const auto calls = [&](const CFunction& other) {
        return &other != function && other.name != "main" && !global
               && std::ranges::find(other.uses, function->declaration) != other.uses.end();
      };
      if (function->name != "main" && std::ranges::none_of(file.functions, calls)) {
        uncalled.push_back(function);
      }
    }
    if (uncalled.size() == 1) {
      return uncalled.front();
    }
    return fail(fmt::format("the file defines several {}s: {}", what, names_in(all)),
                "say which one is meant: --function NAME", {file.path, 0, 0});
  }
  const auto found = std::ranges::find(all, name, &CFunction::name);
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const CFunction* function : all) {
      names.push_back(function->name);
    }
    const std::string nearest = nearest_name(name, names);
    return fail(fmt::format("the file defines no {} '{}'; it defines {}", what, name, names_in(all)),
                nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest), {file.path, 0, 0});
  }
  return *found;
}

kernel::ExprPtr size_expression(const CNode& node)
{
  const CNode& bare = without_casts(node);
  if (bare.kind == CKind::number) {
    return kernel::make_number(bare.number, true);
  }
  return bare.kind == CKind::binary
           ? kernel::make_binary(bare.text, size_expression(*bare.children[0]), size_expression(*bare.children[1]))
           : kernel::make_extent(bare.text);
}

void rename(CNode& node, const std::string& declaration, const std::string& name)
{
  node.text = node.kind == CKind::name && node.declaration == declaration ? name : node.text;
  for (const CNodePtr& child : node.children) {
    rename(*child, declaration, name);
  }
}

// Calls the kernel's parameters as the reference does: by name, or else by position.
Result<void> rename_parameters(DeviceKernel& device, const CFunction& reference)
{
  std::vector<CParameter>& parameters = device.kernel.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    CParameter& one = parameters[i];
    const auto fits = [&](const CParameter& other) {
      return other.type.extents.empty() == one.type.extents.empty() && is_integer(other) == is_integer(one);
    };
    auto other = std::ranges::find(reference.parameters, one.name, &CParameter::name);
    if (other == reference.parameters.end() && i < reference.parameters.size()) {
      other = reference.parameters.begin() + static_cast<std::ptrdiff_t>(i);
    }
    if (other == reference.parameters.end() || !fits(*other)) {
      return fail(fmt::format("the parameter '{}' of '{}' has no counterpart in its reference '{}'", one.name,
                              device.kernel.name, reference.name),
                  "give both the same parameters: of one name, or in one order", one.place);
    }
    for (const auto* extents : {&device.launch.grid, &device.launch.block}) {
      for (const CNodePtr& extent : *extents) {
        rename(*extent, one.declaration, other->name);
      }
    }
    if (device.launch.shared) {
      rename(*device.launch.shared, one.declaration, other->name);
    }
    one.name = other->name;
  }
  return {};
}

// FILE, FILE:FUNCTION, or a function of the same file.
Result<Source> reference_of(const ForeignFunction& request, const CFile& file)
{
  Source out;
  std::string path = request.reference;
  std::string function;
  if (const std::size_t colon = path.rfind(':'); colon != std::string::npos) {
    function = path.substr(colon + 1);
    path.resize(colon);
  }
  std::error_code error;
  if (fs::exists(path, error)) {
    HONE_TRY(out.file, parse_c_file(path, request.flags));
  } else if (path.contains('.') || path.contains('/')) {
    return fail(fmt::format("there is no file '{}'", path), "say --reference FILE, FILE:FUNCTION or FUNCTION",
                {"--reference", 0, 0});
  } else {
    out.file = file;
    function = path;
  }
  HONE_TRY(const CFunction* const wanted, wanted_function(out.file, function, false));
  out.function = *wanted;
  return out;
}

} // namespace

Result<Source> source_of(const ForeignFunction& request, const CFile& file)
{
  if (file.device_language.empty()) {
    if (!request.reference.empty()) {
      return fail("a reference is for a __global__ function: this file has none", "leave out --reference",
                  {file.path, 0, 0});
    }
    HONE_TRY(const CFunction* const function, wanted_function(file, request.function, false));
    return Source{file, *function, {}, {}, {}};
  }
  HONE_TRY(const CFunction* const kernel, wanted_function(file, request.function, true));
  for (const CParameter& parameter : kernel->parameters) {
    if (parameter.type.extents.empty() && parameter.type.kind == CType::Kind::other) {
      return fail(fmt::format("the parameter '{}' is a '{}', which a kernel has no argument for", parameter.name,
                              parameter.type.spelling),
                  "pass pointers to numbers, integers for sizes, and float or double scalars", parameter.place);
    }
  }
  DeviceKernel device{&file, *kernel, {}};
  HONE_TRY(device.launch, launch_of(file, *kernel));
  if (!request.reference.empty()) {
    HONE_TRY(Source out, reference_of(request, file));
    HONE_CHECK(rename_parameters(device, out.function));
    out.device = device;
    return out;
  }
  HONE_TRY(const ThreadLoops loops, loops_of_threads(file, *kernel, device.launch));
  Source out{file, loops.function, device, {}, loops.notes};
  for (std::size_t i = 0; i + 1 < loops.divides.size(); i += 2) {
    const kernel::ExprPtr rest =
      kernel::make_binary("%", size_expression(*loops.divides[i]), size_expression(*loops.divides[i + 1]));
    out.conditions.push_back(compared("==", rest, kernel::make_number(0, true)));
  }
  return out;
}

} // namespace hone::import
