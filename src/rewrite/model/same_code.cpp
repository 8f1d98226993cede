#include "rewrite/model/same_code.h"

#include "util/text.h"

#include <cctype>

namespace hone::rewrite {
namespace {

// How many characters a comment that begins here has; 0: none does.
std::size_t comment_at(std::string_view rest, bool toml)
{
  const std::size_t line = std::min(rest.find('\n'), rest.size());
  if (toml) {
    return rest.starts_with('#') ? line : 0;
  }
  if (rest.starts_with("//")) {
    return line;
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/", 2);
    return end == std::string_view::npos ? rest.size() : end + 2;
  }
  return 0;
}

// The length of a text in quotes that begins here.
std::size_t quoted_at(std::string_view rest)
{
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == rest[0] || rest[i] == '\n') {
      return i + 1;
    }
  }
  return rest.size();
}

} // namespace

std::string bare_code(std::string_view text, std::string_view file)
{
  const bool toml = file.ends_with(".toml");
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t comment = comment_at(rest, toml); comment > 0) {
      at += comment;
      bare += bare.empty() || bare.back() == ' ' ? "" : " ";
    } else if (rest[0] == '"' || rest[0] == '\'') {
      const std::size_t quoted = quoted_at(rest);
      bare += rest.substr(0, quoted);
      at += quoted;
    } else if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      ++at;
      bare += bare.empty() || bare.back() == ' ' ? "" : " ";
    } else {
      bare += rest[0];
      ++at;
    }
  }
  return std::string(trim(bare));
}

bool is_same_code(const kernel::Candidate& a, const kernel::Candidate& b)
{
  const auto bare = [](const kernel::Candidate& candidate) {
    std::map<std::string, std::string> files;
    for (const auto& [name, text] : candidate.files) {
      if (std::string code = bare_code(text, name); !code.empty()) {
        files.emplace(name, std::move(code));
      }
    }
    return files;
  };
  return bare(a) == bare(b);
}

} // namespace hone::rewrite
