#include "util/stop_request.h"

namespace hone {
namespace {

unsigned char is_requested = 0;

} // namespace

void request_stop()
{
  __atomic_store_n(&is_requested, static_cast<unsigned char>(1), __ATOMIC_RELAXED);
}

bool is_stop_requested()
{
  return __atomic_load_n(&is_requested, __ATOMIC_RELAXED) != 0;
}

const unsigned char* stop_request_flag()
{
  return &is_requested;
}

} // namespace hone
