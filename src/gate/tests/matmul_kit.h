// A small matrix product and candidates for it, honest and otherwise, for tests of the whole gate.
#pragma once

#include "gate/gate.h"

#include <memory>
#include <string>

namespace hone::gate::test {

// "C[m,n] = sum(k, A[m,k] * B[k,n])" in f32, timed at m=48 n=40 k=32.
std::shared_ptr<const kernel::Kernel> matmul_kernel(const std::string& also = "any");

// Device code of a tiled product. `per_element` is run for each element (i, j) of the tile with its sum `s`;
// `prologue` at the start of each group.
struct DeviceText {
  std::string per_element = "C[i * n + j] = s;";
  std::string prologue = {};
  std::string globals = {};
  std::string accumulator = "float";
  std::string last_column = "(x + 1) * TILE"; // end of the tile's columns, before it is cut at n
};
std::string device_text(const DeviceText& text = {});

// `more`: further lines of launch.toml, before the launch; `scratch`: name of a scratch argument, or "".
std::string launch_text(const std::string& more = "", const std::string& scratch = "");

record::Contender contender_of(const kernel::Kernel& kernel, const std::string& device,
                               const std::string& launch = launch_text());

} // namespace hone::gate::test
