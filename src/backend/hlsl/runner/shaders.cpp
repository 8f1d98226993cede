#include "backend/hlsl/runner/shaders.h"

#include <cstring>

namespace hone::backend::runner {

namespace {

struct Reader {
  std::string_view rest;
  bool whole = true;

  std::string_view bytes(std::size_t count)
  {
    whole = whole && count <= rest.size();
    const std::string_view out = whole ? rest.substr(0, count) : std::string_view();
    rest.remove_prefix(whole ? count : 0);
    return out;
  }
  std::uint32_t word()
  {
    std::uint32_t out = 0;
    const std::string_view four = bytes(sizeof out);
    std::memcpy(&out, four.data(), four.size());
    return out;
  }
};

} // namespace

std::vector<PackedShader> shaders_in(std::string_view image)
{
  Reader reader{image};
  std::vector<PackedShader> out;
  const std::uint32_t count = reader.word();
  for (std::uint32_t i = 0; i < count && reader.whole; ++i) {
    PackedShader& shader = out.emplace_back();
    const std::string_view name = reader.bytes(reader.word());
    shader.kernel = std::string(name.substr(0, name.find('\0')));
    const std::uint32_t offsets = reader.word();
    for (std::uint32_t k = 0; k < offsets && reader.whole; ++k) {
      shader.offsets.push_back(reader.word());
    }
    const std::string_view code = reader.bytes(reader.word());
    shader.code.resize(code.size() / sizeof(std::uint32_t));
    std::memcpy(shader.code.data(), code.data(), shader.code.size() * sizeof(std::uint32_t));
  }
  return reader.whole ? out : std::vector<PackedShader>();
}

} // namespace hone::backend::runner
