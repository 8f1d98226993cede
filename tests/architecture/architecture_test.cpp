// The house rules that a compiler does not check: rooms depend downwards only, and only on each other's public headers.
#include "util/util.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace hone;

namespace {

const fs::path k_root = HONE_SOURCE_ROOT;

std::string text_of(const fs::path& path)
{
  return read_file(path).value();
}

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern)
{
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

// From the ground up, as the top CMakeLists.txt lists them.
std::vector<std::string> rooms()
{
  return all_matches(text_of(k_root / "CMakeLists.txt"), R"(add_subdirectory\(src/(\w+)\))");
}

struct Include {
  fs::path file;
  std::string from, to, header;
};

std::vector<Include> includes_between_rooms()
{
  std::vector<Include> found;
  for (const std::string& room : rooms()) {
    for (const auto& entry : fs::recursive_directory_iterator(k_root / "src" / room)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") {
        continue;
      }
      for (const std::string& header : all_matches(text_of(entry.path()), R"(#include "([\w/]+\.h)\")")) {
        const std::string to = header.substr(0, header.find('/'));
        if (header.contains('/') && to != room && fs::is_directory(k_root / "src" / to)) {
          found.push_back({entry.path(), room, to, header});
        }
      }
    }
  }
  return found;
}

// The room's front header and everything of the room that it names.
std::set<std::string> public_headers(const std::string& room)
{
  const std::string front = room + "/" + room + ".h";
  std::set<std::string> headers{front};
  if (fs::exists(k_root / "src" / front)) {
    for (const std::string& header : all_matches(text_of(k_root / "src" / front), "\"(" + room + R"(/[\w/]+\.h)\")")) {
      headers.insert(header);
    }
  }
  return headers;
}

} // namespace

TEST(Architecture, EveryFolderOfSrcIsARoomAndHasItsFrontHeader)
{
  const std::vector<std::string> listed = rooms();
  for (const auto& entry : fs::directory_iterator(k_root / "src")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(std::ranges::find(listed, name) != listed.end()) << name << " is not in CMakeLists.txt";
    EXPECT_TRUE(fs::exists(entry.path() / (name + ".h"))) << name << " has no front header";
  }
}

TEST(Architecture, DependenciesPointDownwards)
{
  const std::vector<std::string> order = rooms();
  const auto level = [&](const std::string& room) { return std::ranges::find(order, room) - order.begin(); };
  const std::vector<Include> includes = includes_between_rooms();
  EXPECT_GT(includes.size(), 20u) << "the search for includes is broken";
  for (const Include& include : includes) {
    EXPECT_LT(level(include.to), level(include.from)) << include.file << " includes " << include.header;
  }
}

TEST(Architecture, RoomsUseOnlyEachOthersPublicHeaders)
{
  std::map<std::string, std::set<std::string>> headers;
  for (const std::string& room : rooms()) {
    headers[room] = public_headers(room);
  }
  for (const Include& include : includes_between_rooms()) {
    EXPECT_TRUE(headers[include.to].contains(include.header))
      << include.file << " includes " << include.header << ", which " << include.to << "/" << include.to
      << ".h does not name";
  }
}

TEST(Architecture, DeclaredDependenciesCoverTheIncludes)
{
  std::map<std::string, std::set<std::string>> declared;
  for (const std::string& room : rooms()) {
    const std::string cmake = text_of(k_root / "src" / room / "CMakeLists.txt");
    std::smatch match;
    if (std::regex_search(cmake, match, std::regex(R"(DEPENDS ([a-z ]+))"))) {
      for (const std::string& name : split(match[1].str(), ' ')) {
        declared[room].insert(name);
      }
    }
  }
  for (const Include& include : includes_between_rooms()) {
    EXPECT_TRUE(declared[include.from].contains(include.to))
      << include.file << " includes " << include.header << ", but " << include.from << "/CMakeLists.txt does not say so";
  }
}
