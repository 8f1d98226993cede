// The texts of the live page. Everything from outside is escaped here or in the report room. (internal to the serve
// room)
#pragma once

#include "serve/live/runs.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::serve {

struct ListPage {
  std::vector<std::pair<LiveRun, RunLine>> runs;
  std::size_t first = 0, all = 0; // which part of how many
  std::size_t on_a_page = 1;
  std::int64_t now = 0; // seconds since 1970
};

std::string list_page(const ListPage& list);
std::string run_page(const LiveRun& run, const std::string& holder, const RunView& view);
std::string message_page(std::string_view title, std::string_view text);
// JavaScript that asks whether the page it runs on has changed, and puts the new one in its place.
std::string_view live_script();

} // namespace hone::serve
