#include "llm/pause.h"

#include <condition_variable>
#include <mutex>

namespace hone::llm {
namespace {

class RealPause final : public Pause {
public:
  bool wait(std::chrono::milliseconds time, std::stop_token stop) override
  {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  }
};

} // namespace

std::unique_ptr<Pause> make_pause()
{
  return std::make_unique<RealPause>();
}

} // namespace hone::llm
