#include "backend/cpu/watch/inspector/group_call.h"

#include <utility>

namespace hone::backend::cpu {
namespace {

template <std::size_t... Is>
void call_with(void* entry, const void* group, const GroupArguments& values, std::index_sequence<Is...>)
{
  using Function = void (*)(const void*, decltype(Is, std::uint64_t{})...);
  reinterpret_cast<Function>(entry)(group, values[Is]...); // more arguments than the callee takes are harmless
}

} // namespace

std::int64_t groups_of(const ListedLaunch& launch)
{
  return launch.groups[0] * launch.groups[1] * launch.groups[2];
}

GroupDescription description_of(const ListedLaunch& launch, std::int64_t group, void* shared)
{
  const auto [x, y, z] = launch.groups;
  return {{group % x, group / x % y, group / x / y}, {x, y, z}, shared, launch.shared_bytes};
}

void call_group_function(void* entry, const GroupDescription& group, const GroupArguments& arguments)
{
  call_with(entry, &group, arguments, std::make_index_sequence<k_max_launch_arguments>());
}

} // namespace hone::backend::cpu
