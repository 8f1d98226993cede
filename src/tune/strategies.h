// Makers of the strategies, one per file. (internal to the tune room)
#pragma once

#include "tune/tune.h"

namespace hone::tune {

std::unique_ptr<Strategy> make_annealing_strategy();
std::unique_ptr<Strategy> make_exhaustive_strategy();
std::unique_ptr<Strategy> make_genetic_strategy();
std::unique_ptr<Strategy> make_local_search_strategy();
std::unique_ptr<Strategy> make_racing_strategy();
std::unique_ptr<Strategy> make_random_strategy();

} // namespace hone::tune
