// Waiting, as something that tests can replace. (internal to the model room)
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

namespace hone::llm {

class Pause {
public:
  virtual ~Pause() = default;
  // False when it was cut short by the stop token.
  virtual bool wait(std::chrono::milliseconds time, std::stop_token stop) = 0;
};

std::unique_ptr<Pause> make_pause();

} // namespace hone::llm
