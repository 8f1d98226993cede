// What holds on this machine, and what to do about the rest.
#pragma once

#include "app/context.h"

#include <string>
#include <vector>

namespace hone::app {

struct MachineFinding {
  std::string name;
  bool good = false;
  bool needed = true; // Hone cannot work without it
  std::string detail;
};

struct Diagnosis {
  std::vector<MachineFinding> findings;
  bool sound() const; // all that is needed holds
};

// Asks the model of the settings one question, where one is named.
Diagnosis diagnose(const Context& context);
Json to_json(const Diagnosis& diagnosis);

} // namespace hone::app
