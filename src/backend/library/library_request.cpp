#include "backend/library/library_request.h"

#include <array>

namespace hone::backend {

// Four lines, in the order of the members; none of them can hold a line break.
std::string to_text(const LibraryRequest& request)
{
  return request.file + '\n' + request.entry + '\n' + request.environment + '\n' + to_text(request.call) + '\n';
}

std::optional<LibraryRequest> library_request_from_text(std::string_view text)
{
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto call = gemm_call_from_text(lines[3]);
  if (!call || !text.empty()) {
    return std::nullopt;
  }
  return LibraryRequest{std::string(lines[0]), std::string(lines[1]), std::string(lines[2]), *call};
}

} // namespace hone::backend
