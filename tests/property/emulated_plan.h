// A candidate's plan on the emulated device, without a gate: buffers with random values, launches in order.
#pragma once

#include "emulate/emulate.h"
#include "kernel/kernel.h"
#include "kernel/resolved_plan.h"
#include "util/random.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace hone {

struct EmulatedRun {
  std::vector<std::vector<double>> inputs;  // of the kernel's arguments before, in their order
  std::vector<std::vector<double>> outputs; // of the kernel's written arguments, in their order
  std::string trouble;                      // "" where all launches came to their end without a finding
  std::uint64_t lane_instructions = 0;
  std::vector<emulate::LaunchCounts> counts; // of the launches, where they were asked for
};

namespace emulated {

inline double value_at(const std::byte* at, kernel::DataType type)
{
  if (type == kernel::DataType::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (type == kernel::DataType::f16) {
    _Float16 value = 0;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  if (type == kernel::DataType::bf16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  if (!kernel::is_float(type)) {
    std::uint64_t bits = 0;
    const auto width = static_cast<int>(8 * kernel::size_of(type));
    std::memcpy(&bits, at, kernel::size_of(type));
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return kernel::is_unsigned(type) ? static_cast<double>(bits)
                                     : static_cast<double>(static_cast<std::int64_t>((bits ^ sign) - sign));
  }
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline void set_value(std::byte* at, kernel::DataType type, double value)
{
  if (type == kernel::DataType::f64) {
    std::memcpy(at, &value, sizeof value);
  } else if (type == kernel::DataType::f16) {
    const auto half = static_cast<_Float16>(static_cast<float>(value));
    std::memcpy(at, &half, sizeof half);
  } else if (type == kernel::DataType::bf16) {
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
    std::memcpy(at, &bits, sizeof bits);
  } else if (!kernel::is_float(type)) {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    std::memcpy(at, &bits, kernel::size_of(type));
  } else {
    const auto single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof single);
  }
}

// Empty where the device has no such map.
inline void write_map(const kernel::ResolvedMap& from, kernel::DataType type, std::uintptr_t tensor, std::uintptr_t to)
{
  emulate::TensorMap map;
  map.type = type == kernel::DataType::f16    ? emulate::TensorType::f16
             : type == kernel::DataType::bf16 ? emulate::TensorType::bf16
             : type == kernel::DataType::i32  ? emulate::TensorType::s32
             : kernel::size_of(type) == 1     ? emulate::TensorType::u8
                                              : emulate::TensorType::f32;
  map.rank = static_cast<int>(from.sizes.size());
  map.address = tensor;
  map.swizzle = from.swizzle == 128 ? emulate::TensorSwizzle::bytes_128 : emulate::TensorSwizzle::none;
  std::uint64_t bytes = kernel::size_of(type);
  for (std::size_t i = 0; i < from.sizes.size(); ++i) {
    map.sizes[i] = static_cast<std::uint64_t>(from.sizes[i]);
    map.box[i] = static_cast<std::uint32_t>(from.box[i]);
    bytes *= map.sizes[i];
    if (i + 1 < from.sizes.size()) {
      map.strides[i] = bytes;
    }
  }
  const auto encoded = emulate::encode(map);
  const emulate::TensorMapBytes content = encoded ? *encoded : emulate::TensorMapBytes{};
  std::memcpy(reinterpret_cast<void*>(to), content.data(), content.size());
}

} // namespace emulated

inline Result<EmulatedRun> run_emulated(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                        const kernel::ResolvedPlan& plan, const std::string& ptx, std::uint64_t seed,
                                        bool counted = false)
{
  HONE_TRY(const emulate::Program program, emulate::Program::load(ptx));
  EmulatedRun out;
  emulate::GlobalMemory memory;
  Random random(seed);
  std::vector<std::uintptr_t> tensors, scratch;
  std::vector<std::int64_t> counts;
  for (const kernel::Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t count, kernel::elements_of(argument, sizes));
    const std::size_t each = kernel::size_of(argument.type);
    const std::uintptr_t begin = memory.allocate(static_cast<std::size_t>(count) * each);
    for (std::int64_t i = 0; i < count;
         ++i) { // few bits, so that sums are nearly exact; outputs hold what nobody expects
      const bool whole = !kernel::is_float(argument.type);
      const double lowest = kernel::is_unsigned(argument.type) ? 0 : -128;
      const double value = argument.role == kernel::Role::output ? (whole ? 1e9 : 1e30)
                           : whole                               ? lowest + static_cast<double>(random.below(256))
                                                                 : (static_cast<double>(random.below(33)) - 16) / 16;
      emulated::set_value(reinterpret_cast<std::byte*>(begin) + static_cast<std::size_t>(i) * each, argument.type,
                          value);
    }
    std::vector<double>& given = out.inputs.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) {
      given.push_back(emulated::value_at(reinterpret_cast<const std::byte*>(begin) + static_cast<std::size_t>(i) * each,
                                         argument.type));
    }
    tensors.push_back(begin);
    counts.push_back(count);
  }
  for (const kernel::ResolvedScratch& one : plan.scratch) {
    const std::uintptr_t begin = memory.allocate(one.bytes());
    std::memset(reinterpret_cast<void*>(begin), 0xff, one.bytes());
    scratch.push_back(begin);
  }
  std::vector<std::uintptr_t> maps;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    emulate::LaunchRequest request;
    request.program = &program;
    request.entry = launch.kernel;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      request.grid[axis] = static_cast<std::uint32_t>(launch.grid[axis]);
      request.block[axis] = static_cast<std::uint32_t>(launch.block[axis]);
      request.cluster[axis] = static_cast<std::uint32_t>(launch.cluster[axis]);
    }
    request.dynamic_shared_bytes = static_cast<std::size_t>(launch.shared_bytes);
    request.seed = seed;
    request.most_instructions = 200'000'000;
    request.counts = counted;
    for (const kernel::ResolvedArgument& argument : launch.args) {
      if (argument.kind == kernel::ResolvedArgument::Kind::map) {
        maps.push_back(memory.allocate(emulate::k_tensor_map_bytes));
        const kernel::ResolvedMap& map = plan.maps[argument.position];
        emulated::write_map(map, kernel.arguments[map.tensor.position].type, tensors[map.tensor.position], maps.back());
      }
      const std::uint64_t bits = argument.kind == kernel::ResolvedArgument::Kind::map      ? maps.back()
                                 : argument.kind == kernel::ResolvedArgument::Kind::tensor ? tensors[argument.position]
                                 : argument.kind == kernel::ResolvedArgument::Kind::scratch
                                   ? scratch[argument.position]
                                   : static_cast<std::uint64_t>(argument.integer);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&bits);
      request.parameters.insert(request.parameters.end(), bytes, bytes + sizeof bits);
    }
    emulate::LaunchResult result = emulate::launch(request, memory);
    out.lane_instructions += result.counts.lane_instructions;
    if (counted) {
      out.counts.push_back(std::move(result.counts));
    }
    for (const emulate::Finding& finding : result.findings) {
      out.trouble += finding.text + "\n";
    }
    if (!result.finished) {
      break;
    }
  }
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel::is_written(kernel.arguments[i].role)) {
      std::vector<double>& values = out.outputs.emplace_back();
      for (std::int64_t k = 0; k < counts[i]; ++k) {
        values.push_back(emulated::value_at(reinterpret_cast<const std::byte*>(tensors[i])
                                              + static_cast<std::size_t>(k) * kernel::size_of(kernel.arguments[i].type),
                                            kernel.arguments[i].type));
      }
    }
  }
  return out;
}

// "" where they agree within a part of the largest value, else the first place where they do not.
inline std::string difference(const EmulatedRun& one, const EmulatedRun& other, double part)
{
  for (std::size_t i = 0; i < one.outputs.size(); ++i) {
    double largest = 0;
    for (const double value : other.outputs[i]) {
      largest = std::max(largest, std::abs(value));
    }
    for (std::size_t k = 0; k < one.outputs[i].size(); ++k) {
      if (!(std::abs(one.outputs[i][k] - other.outputs[i][k]) <= part * largest)) {
        return fmt::format("output {}, element {}: {} instead of {}", i, k, one.outputs[i][k], other.outputs[i][k]);
      }
    }
  }
  return "";
}

} // namespace hone
