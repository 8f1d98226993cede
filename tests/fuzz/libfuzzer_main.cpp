// libFuzzer's entry for one target, which the build names.
#include "fuzz_target.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static const hone::fuzz::Target& target = hone::fuzz::HONE_FUZZ_TARGET();
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
