#include "app/result_json.h"

namespace hone::app {

Json time_json(const std::optional<record::TimeEstimate>& time)
{
  if (!time) {
    return nullptr;
  }
  return {{"median", time->median}, {"ci95", interval_json(time->ci95)}, {"calls", time->calls}};
}

Json interval_json(const Interval& interval)
{
  return Json::array({interval.low, interval.high});
}

Json point_json(const kernel::TuningPoint& point)
{
  Json object = Json::object();
  for (const auto& [name, value] : point) {
    object[name] = value;
  }
  return object;
}

Json mistake_json(const Error& mistake)
{
  return {{"message", mistake.message},
          {"hint", mistake.hint},
          {"file", mistake.place.file},
          {"line", mistake.place.line},
          {"column", mistake.place.column}};
}

} // namespace hone::app
