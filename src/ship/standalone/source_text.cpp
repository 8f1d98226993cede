#include "ship/standalone/source_text.h"

#include "ship/standalone/carried.h"
#include "ship/standalone/described.h"
#include "ship/standalone/device_text.h"
#include "ship/standalone/host_text.h"
#include "ship/standalone/source_tokens.h"
#include "ship/standalone/threads_text.h"

#include <fmt/format.h>

namespace hone {

namespace {

constexpr const char* k_source = R"(// @fn@: the function of @fn@.h. @origin@
// Compile it as @language@, with
//   @flags@
@threads@#include "@fn@.h"

#include <math.h>
@bool@#include <stdio.h>
#include <stdlib.h>
#include <string.h>
@includes@
// --- what the code of the work-groups relies on ---

@carried@
// --- the launches, as loops over work-groups ---

@host@
// --- the code of the work-groups ---

@macros@@code@)";

} // namespace

Result<std::string> source_text(const StandaloneNames& names)
{
  HONE_TRY(DeviceText device, device_text(names));
  HONE_TRY(const std::string host, host_text(names));
  const std::string carried = carried_text(names, device.macros + device.code);
  const auto renamed = [&](const std::string& text) { return with_words(with_words(text, names.ours), names.theirs); };
  const std::string flags =
    fmt::format("-march={} {}", march_of(names.request.isa), optimisation_flags(names.request.isa));
  // The order matters: macros of the candidate reach nothing but its own code.
  return filled(k_source,
                {{"fn", names.function},
                 {"origin", names.request.record.origin},
                 {"flags", flags},
                 {"threads", threads_head(names)},
                 {"language", names.is_c() ? "C11 or later with GNU extensions (-std=gnu11)" : "C++17 or later"},
                 {"bool", names.is_c() ? "#include <stdbool.h>\n" : ""},
                 {"includes", device.includes},
                 {"carried", with_words(carried, names.ours)},
                 {"host", with_words(host, names.ours)},
                 {"macros", device.macros.empty() ? "" : renamed(device.macros) + "\n"},
                 {"code", renamed(device.code)}});
}

} // namespace hone
