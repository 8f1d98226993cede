// A function in, its statements or its questions out.
#pragma once

#include "import/import.h"
#include "util/text.h"

#include <string>

namespace hone::import {

inline ForeignFunction request_for(const std::string& name)
{
  ForeignFunction request;
  request.file = name;
  return request;
}

// The statements, one per line; or "? " and each question, message and hint.
inline std::string meaning_of(const Result<ForeignAnswer>& answer)
{
  if (!answer) {
    return "! " + answer.error().text();
  }
  std::string out;
  for (const Question& question : answer->questions) {
    out += (out.empty() ? "? " : "\n? ") + question.what.message;
  }
  if (!out.empty()) {
    return out;
  }
  const auto kernel = kernel::parse_kernel(answer->kernel.toml, "kernel.toml");
  return kernel ? std::string(trim(kernel->expression_text)) : "! " + kernel.error().text();
}

inline std::string meaning_of(const std::string& code, const ForeignFunction& request = request_for("test.c"))
{
  return meaning_of(kernel_from_text(request, code));
}

// The kernel of a function that is understood; one without a name for any other.
inline kernel::Kernel kernel_in(const Result<ForeignAnswer>& answer)
{
  const auto kernel = kernel::parse_kernel(answer ? answer->kernel.toml : "", "kernel.toml");
  return kernel ? *kernel : kernel::Kernel{};
}

inline kernel::Kernel kernel_of(const std::string& code, const ForeignFunction& request = request_for("test.c"))
{
  return kernel_in(kernel_from_text(request, code));
}

} // namespace hone::import
