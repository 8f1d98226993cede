// Handlers that do the same in every lane. (internal to the room)
#pragma once

#include "emulate/execute/decoder.h"

#include <cstdint>
#include <string_view>

namespace hone::emulate::execute {

template <class T, class F> void unary(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  each_lane(warp, [=](int lane) { d[lane] = F::run(a[lane]); });
}

template <class T, class F> void binary(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  each_lane(warp, [=](int lane) { d[lane] = F::run(a[lane], b[lane]); });
}

template <class T, class F> void ternary(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const T* const c = warp.at<T>(op.c);
  each_lane(warp, [=](int lane) { d[lane] = F::run(a[lane], b[lane], c[lane]); });
}

// Chooses an instance by a type of whole numbers; bits count as unsigned. `Make<T>::handler`.
template <template <class> class Make> Handler of_integer(std::string_view type)
{
  return type == "u32" || type == "b32"   ? Make<std::uint32_t>::handler
         : type == "s32"                  ? Make<std::int32_t>::handler
         : type == "u64" || type == "b64" ? Make<std::uint64_t>::handler
         : type == "s64"                  ? Make<std::int64_t>::handler
         : type == "u16" || type == "b16" ? Make<std::uint16_t>::handler
         : type == "s16"                  ? Make<std::int16_t>::handler
                                          : nullptr;
}

} // namespace hone::emulate::execute
