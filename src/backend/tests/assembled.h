// Objects for tests of code that reads them.
#pragma once

#include "util/fs.h"
#include "util/process.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::backend::cpu {

// With the assembler that candidates are made with.
inline std::string assembled(const std::string& text)
{
  const auto folder = TemporaryFolder::create("hone-assembled-");
  EXPECT_TRUE(folder.has_value());
  const std::string object = folder->path() / "text.o";
  ProcessRequest request;
  request.argv = {"g++", "-x", "assembler", "-c", "-", "-o", object};
  request.input = text;
  const auto outcome = run_process(request);
  EXPECT_TRUE(outcome && outcome->ok()) << text << outcome->err;
  const auto bytes = read_file(object);
  return bytes ? *bytes : "";
}

} // namespace hone::backend::cpu
