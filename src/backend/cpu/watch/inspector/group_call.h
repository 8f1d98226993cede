// How a group of a launch is called: as the runner does it.
#pragma once

#include "backend/launch_list.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone::backend::cpu {

inline constexpr std::size_t k_max_launch_arguments = 64;
using GroupArguments = std::array<std::uint64_t, k_max_launch_arguments>; // pointers and integers alike

// The argument that tells a group which one it is, as hone.h declares it.
struct GroupDescription {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

std::int64_t groups_of(const ListedLaunch& launch);
GroupDescription description_of(const ListedLaunch& launch, std::int64_t group, void* shared);
void call_group_function(void* entry, const GroupDescription& group, const GroupArguments& arguments);

} // namespace hone::backend::cpu
