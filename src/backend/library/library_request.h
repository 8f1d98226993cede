// What hone-runner-library is asked to do: travels as text in Module::build_options. Trusted on both sides.
#pragma once

#include "backend/library/gemm_call.h"

#include <optional>
#include <string>
#include <string_view>

namespace hone::backend {

struct LibraryRequest {
  std::string file;        // "libopenblas.so.0", or the path of an installed one
  std::string entry;       // which of the runner's ways to compute it: "cblas", "dnnl-sgemm", "dnnl-matmul", ...
  std::string environment; // "NAME=value" with spaces between, set before the library is opened; may be empty
  GemmCall call;

  bool operator==(const LibraryRequest&) const = default;
};

std::string to_text(const LibraryRequest& request);
std::optional<LibraryRequest> library_request_from_text(std::string_view text);

} // namespace hone::backend
