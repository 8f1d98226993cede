#include "ship/ship.h"

#include "ship/check_text.h"
#include "ship/host_text.h"
#include "ship/macro_names.h"
#include "ship/project_text.h"
#include "ship/source_text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

Result<void> check_request(const StandaloneRequest& request)
{
  if (request.candidate.backend != "cpu") {
    return fail(fmt::format("a candidate of the backend '{}' cannot be taken home: only those of cpu can",
                            request.candidate.backend),
                "optimise the kernel with --backend cpu");
  }
  if (request.kernel.reference != kernel::ReferenceKind::expression) {
    return fail(fmt::format("the folder could not check itself: the reference of '{}' is code ({}), not an expression",
                            request.kernel.name, kernel::name_of(request.kernel.reference)),
                "state the kernel as an expression in kernel.toml");
  }
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(request.kernel, request.candidate, request.sizes, request.point, request.device_facts));
  return {};
}

} // namespace

Result<std::map<std::string, std::string>> standalone_files(const StandaloneRequest& request)
{
  HONE_CHECK(check_request(request));
  const ExportContext names = standalone_names(request);
  std::map<std::string, std::string> out;
  HONE_TRY(out[names.function + "." + names.extension()], source_text(names));
  HONE_TRY(out[names.function + "_groups." + names.extension()], groups_source_text(names));
  HONE_TRY(out[names.function + "_check.cpp"], check_text(names));
  HONE_TRY(out[names.function + "_example." + names.extension()], example_text(names));
  out[names.function + "_reference.cpp"] = reference_text(names);
  out[names.function + ".h"] = header_text(names);
  out["CMakeLists.txt"] = cmake_text(names);
  rename_macros(request.kernel, out);
  out["README.md"] = readme_text(names);
  return out;
}

} // namespace hone::ship
