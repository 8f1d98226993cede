#include "app/context.h"

namespace hone::app {

Observer& silent_observer()
{
  static Observer nobody;
  return nobody;
}

} // namespace hone::app
