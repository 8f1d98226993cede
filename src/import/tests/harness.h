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
inline std::string meaning_of(const std::string& code, ForeignFunction request = request_for("test.c"))
{
  const auto answer = kernel_from_text(request, code);
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

// The kernel of a function that is understood.
inline kernel::Kernel kernel_of(const std::string& code, ForeignFunction request = request_for("test.c"))
{
  const auto answer = kernel_from_text(request, code);
  const std::string toml = answer ? answer->kernel.toml : "";
  const auto kernel = kernel::parse_kernel(toml, "kernel.toml");
  return kernel ? *kernel : kernel::Kernel{};
}

} // namespace hone::import
