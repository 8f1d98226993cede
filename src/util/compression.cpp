#include "util/compression.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <zstd.h>

namespace hone {

std::string compress(std::string_view bytes)
{
  constexpr int k_level = 9;
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), k_level));
  return out;
}

// In a stream: the size that a frame states is whoever wrote it's.
Result<std::string> decompress(std::string_view bytes, std::size_t most, const std::string& origin)
{
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  std::string out;
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer output{piece.data(), piece.size(), 0};
    const bool at_end = input.pos == input.size;
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left) != 0 || (at_end && output.pos == 0 && left != 0)) {
      return fail("the compressed data are damaged or cut off", "", {origin, 0, 0});
    }
    out.append(piece, 0, output.pos);
    if (out.size() > most) {
      return fail(fmt::format("the data are larger than {} bytes", most), "", {origin, 0, 0});
    }
  }
  return out;
}

} // namespace hone
