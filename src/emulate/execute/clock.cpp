#include "emulate/execute/clock.h"

#include <algorithm>

namespace hone::emulate::execute {

namespace {

void join_numbers(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from)
{
  if (into.empty()) {
    into = from;
    return;
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    into[i] = std::max(into[i], from[i]);
  }
}

} // namespace

void learn(std::shared_ptr<const FarClocks>& into, const std::shared_ptr<const FarClocks>& from)
{
  if (from == nullptr || into == from) {
    return;
  }
  if (into == nullptr) {
    into = from;
    return;
  }
  auto out = std::make_shared<FarClocks>(*into);
  for (const auto& [cluster, clocks] : *from) {
    join_numbers((*out)[cluster], clocks);
  }
  into = std::move(out);
}

void learn(Known& into, const Known& from)
{
  join_numbers(into.near, from.near);
  learn(into.far, from.far);
}

void learn(Clock& into, const Clock& from)
{
  learn(static_cast<Known&>(into), from);
  for (std::size_t i = 0; i < k_scopes; ++i) {
    learn(into.fenced[i], from.fenced[i]);
  }
}

} // namespace hone::emulate::execute
