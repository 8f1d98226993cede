// One function of PTX on one group of threads, with a buffer of numbers that it stores to.
#pragma once

#include "emulate/emulate.h"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace hone::emulate {

// `body` finds the thread's number in %r1, the address of its own element of the output in %rd1 (4 bytes each) and
// of the whole output in %rd0.
inline std::string with_body(const std::string& body, const std::string& declarations = "")
{
  return ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry f(.param .u64 f_0)\n{\n"
         ".reg .pred %p<10>;\n.reg .b16 %rs<10>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<20>;\n.reg .f64 "
         "%fd<10>;\n"
         + declarations
         + "ld.param.u64 %rd2, [f_0];\ncvta.to.global.u64 %rd0, %rd2;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, "
           "4;\nadd.s64 %rd1, %rd0, %rd3;\n"
         + body + "\nret;\n}\n";
}

struct Ran {
  LaunchResult result;
  std::vector<std::uint32_t> output;
};

using Tune = std::function<void(LaunchRequest&)>;

inline Ran run(const std::string& ptx, std::uint32_t threads = 32, std::uint32_t groups = 1, const Tune& tune = {})
{
  Ran out;
  const auto program = Program::load(ptx);
  EXPECT_TRUE(program) << program.error().text();
  if (!program) {
    return out;
  }
  GlobalMemory memory;
  const std::size_t elements = threads * groups;
  const std::uintptr_t begin = memory.allocate(4 * elements);
  std::memset(reinterpret_cast<void*>(begin), 0, 4 * elements);
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.grid[0] = groups;
  request.block[0] = threads;
  request.parameters.resize(8);
  request.most_instructions = 1'000'000;
  std::memcpy(request.parameters.data(), &begin, 8);
  if (tune) {
    tune(request);
  }
  out.result = launch(request, memory);
  const auto* const numbers = reinterpret_cast<const std::uint32_t*>(begin);
  out.output.assign(numbers, numbers + elements);
  return out;
}

inline std::string findings_of(const Ran& ran)
{
  std::string out;
  for (const Finding& finding : ran.result.findings) {
    out += finding.text + "\n";
  }
  return out;
}

} // namespace hone::emulate
