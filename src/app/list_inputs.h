// The rows of values and sizes that candidates are tried on (inputs/catalogue.h), for whoever lists them.
#pragma once

#include "inputs/catalogue.h"
#include "util/json.h"

namespace hone::app {

Json inputs_json();

} // namespace hone::app
