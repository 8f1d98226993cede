#include "ship/source_text.h"

#include "ship/carried.h"
#include "ship/described.h"
#include "ship/device_text.h"
#include "ship/empty_calls.h"
#include "ship/host_text.h"
#include "ship/launch_text.h"
#include "ship/source_tokens.h"
#include "ship/threads_text.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

constexpr const char* k_source = R"(// @fn@: the function of @fn@.h. @origin@
// Compile it and @fn@_groups.@ext@ as @language@, with
//   @flags@
@threads@#include "@fn@.h"

#include <math.h>
@bool@#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- a work-group, as @fn@_groups.@ext@ knows it ---

@carried@
// --- the launches, as loops over work-groups ---

@host@)";

constexpr const char* k_groups_source = R"(// The code of the work-groups that the function of @fn@.h runs. @origin@
// Compile it as @language@, with
//   @flags@
#include <math.h>
@bool@#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
@includes@
// --- what it relies on ---

@carried@
// --- what @fn@.@ext@ calls ---

@prototypes@
// --- the code ---

@macros@@code@)";

std::map<std::string, std::string> common_values(const ExportContext& names)
{
  return {{"fn", names.function},
          {"ext", names.extension()},
          {"origin", names.request.record.origin},
          {"flags", fmt::format("-march={} {}", march_of(names.request.isa), optimisation_flags(names.request.isa))},
          {"language", names.is_c() ? "C11 or later with GNU extensions (-std=gnu11)" : "C++17 or later"},
          {"bool", names.is_c() ? "#include <stdbool.h>\n" : ""}};
}

} // namespace

Result<std::string> source_text(const ExportContext& names)
{
  HONE_TRY(const std::string host, host_text(names));
  std::map<std::string, std::string> values = common_values(names);
  values["threads"] = threads_head(names);
  values["carried"] = with_words(support_code_for(names, host), names.ours);
  values["host"] = with_words(host, names.ours);
  return filled(k_source, values);
}

Result<std::string> groups_source_text(const ExportContext& names)
{
  HONE_TRY(DeviceText device, device_text(names));
  HONE_TRY(const EmptyCalls empty, empty_calls(names));
  const auto renamed = [&](const std::string& text) {
    // "??" begins another character in strict C alone.
    return replace_all(with_words(with_words(text, names.ours), names.theirs), "??", "? ?");
  };
  std::map<std::string, std::string> values = common_values(names);
  values["includes"] = device.includes;
  values["carried"] = with_words(support_code_for(names, device.macros + device.code + empty.code), names.ours);
  values["prototypes"] = with_words(launch_prototypes(names) + empty.prototypes, names.ours);
  values["macros"] = device.macros.empty() ? "" : renamed(device.macros) + "\n";
  values["code"] = renamed(device.code) + with_words(empty.code, names.ours);
  return filled(k_groups_source, values);
}

} // namespace hone::ship
