#include "backend/library/gemm_call.h"

#include <iomanip>
#include <limits>
#include <sstream>

namespace hone::backend {

// Both directions list the members in the same order.
std::string to_text(const GemmCall& call)
{
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10);
  text << static_cast<int>(call.types) << ' ' << call.m << ' ' << call.n << ' ' << call.k << ' ' << call.batch << ' '
       << call.a << ' ' << call.b << ' ' << call.c << ' ' << call.bias << ' ' << call.transpose_a << ' '
       << call.transpose_b << ' ' << call.lda << ' ' << call.ldb << ' ' << call.ldc << ' ' << call.batch_stride_a << ' '
       << call.batch_stride_b << ' ' << call.batch_stride_c << ' ' << call.alpha << ' '
       << static_cast<int>(call.activation);
  return text.str();
}

std::optional<GemmCall> gemm_call_from_text(std::string_view text)
{
  GemmCall call;
  int activation = 0;
  std::istringstream in{std::string(text)};
  int types = 0;
  in >> types >> call.m >> call.n >> call.k >> call.batch >> call.a >> call.b >> call.c >> call.bias >> call.transpose_a
    >> call.transpose_b >> call.lda >> call.ldb >> call.ldc >> call.batch_stride_a >> call.batch_stride_b
    >> call.batch_stride_c >> call.alpha >> activation;
  if (!in || !(in >> std::ws).eof() || types < 0 || types > static_cast<int>(GemmTypes::bf16) || activation < 0
      || activation > static_cast<int>(Activation::gelu)) {
    return std::nullopt;
  }
  call.types = static_cast<GemmTypes>(types);
  call.activation = static_cast<Activation>(activation);
  return call;
}

} // namespace hone::backend
