#include "ship/described.h"
#include "ship/host_text.h"
#include "ship/signature_text.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

constexpr const char* k_header = R"(// @what@
// Written by Hone; it needs nothing of it. @origin@
//
@meaning@//
// Arrays are row-major and dense, and must not overlap:
@arguments@//
@conditions@#ifndef @FN@_H
#define @FN@_H

@include@#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What @fn@_with() returns.
enum {
  @FN@_OK = 0,
  @FN@_BAD_SIZES = 1, // nothing was written, or not all of it
  @FN@_MISALIGNED = 2 // nothing was written
};

// Takes memory for scratch where it needs some, and gives it back. Where it cannot work (sizes that it was not made for,
// no memory) it says so on stderr and calls abort().@signature@
@head@;

// The same without malloc() and abort(): `work` is scratch of @fn@_work_bytes(), aligned to 64 bytes, of
// any contents; it may be used again, by one call at a time. NULL where no bytes are needed.
int @fn@_with(@with@);
@prepare@
// SIZE_MAX for sizes that it was not made for.
size_t @fn@_work_bytes(@sizes@);

// Whether this processor has the instructions that the library was compiled for. It was made for
// @isa@.
// If it returns 0, the other functions end in an illegal instruction.
int @fn@_supported(void);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* k_prepare = R"(
// Lays the weights out: once, for as many calls of @fn@_with() as use them. `prepared` is memory of
// @fn@_prepared_bytes(), aligned to 64 bytes. @fn@() does this at each call, which costs time.
int @fn@_prepare(@parameters@);
size_t @fn@_prepared_bytes(@sizes@);
)";

std::string preparation(const ExportContext& names)
{
  return names.prepares() ? filled(k_prepare, {{"fn", names.function},
                                               {"parameters", prepare_parameters(names)},
                                               {"sizes", size_parameters(names.kernel())}})
                          : "";
}

std::string zero_comment(const ExportContext& names)
{
  if (names.is_specialised() || names.kernel().symbols.empty()) {
    return "";
  }
  return "// A size may be 0: then no element of an output is computed, or sums without terms are 0.\n";
}

std::string conditions(const ExportContext& names)
{
  std::string out = fmt::format(
    "// One thread, or N where the source is compiled with -D{}_THREADS=N. It may be called from several threads at\n"
    "// a time; the N threads then work for one of the calls, and the others do without.\n",
    names.macro);
  if (names.is_specialised()) {
    out += fmt::format("// Made for {} alone.\n", kernel::to_text(names.request.sizes));
  }
  out += conditions_comment(names.kernel());
  out += zero_comment(names);
  if (!kernel::has_derived_bounds(names.kernel())) {
    out += fmt::format("// Held against the expression above: {}.\n", kernel::accuracy_text(names.kernel()));
  }
  if (names.needs_alignment()) {
    out += "// Arrays must be aligned to 64 bytes.\n";
  }
  return out;
}

bool has_type(const kernel::Kernel& kernel, kernel::DataType type)
{
  for (const kernel::Argument& argument : kernel.arguments) {
    if (argument.type == type) {
      return true;
    }
  }
  return false;
}

} // namespace

std::string header_text(const ExportContext& names)
{
  const kernel::Kernel& kernel = names.kernel();
  return filled(
    k_header,
    {{"what", title_of(kernel)},
     {"origin", names.request.record.origin},
     {"meaning", meaning_comment(kernel)},
     {"arguments", arguments_comment(kernel)},
     {"conditions", conditions(names)},
     {"include", has_type(kernel, kernel::DataType::boolean) ? "#include <stdbool.h>\n" : ""},
     {"fn", names.function},
     {"FN", names.macro},
     {"head", function_head(names)},
     {"signature",
      has_signature(names) ? " Its parameters are those of the\n// function that the kernel was made from." : ""},
     {"with", with_parameters(names)},
     {"prepare", preparation(names)},
     {"sizes", size_parameters(kernel)},
     {"isa", instructions_text(names.request.isa)}});
}

} // namespace hone::ship
