// The house rules that a compiler does not check: rooms depend downwards only, and only on each other's public headers;
// ARCHITECTURE.md lists the rooms that the build lists; long files say why.
#include "util/util.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

// By room, as its CMakeLists.txt declares them.
std::map<std::string, std::vector<std::string>> declared_dependencies()
{
  std::map<std::string, std::vector<std::string>> declared;
  for (const std::string& room : rooms()) {
    const std::string cmake = text_of(k_root / "src" / room / "CMakeLists.txt");
    std::smatch match;
    if (std::regex_search(cmake, match, std::regex(R"(DEPENDS ([a-z ]+))"))) {
      declared[room] = split(std::string(trim(match[1].str())), ' ');
    }
  }
  return declared;
}

// The first sentence of the room's front header.
std::string purpose_of(const std::string& room)
{
  std::string text;
  for (const std::string& line : split(text_of(k_root / "src" / room / (room + ".h")), '\n')) {
    if (!line.starts_with("// ")) {
      break;
    }
    text += (text.empty() ? "" : " ") + line.substr(3);
  }
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

// The rooms from the top down. Rooms that nearly all depend on are left out of the third column.
std::string table_of_rooms()
{
  const auto dependencies = declared_dependencies();
  std::string table = "| room | what it is | depends on (besides `util` and `kernel`) |\n|---|---|---|\n";
  const std::vector<std::string> order = rooms();
  for (auto room = order.rbegin(); room != order.rend(); ++room) {
    std::vector<std::string> shown;
    if (const auto found = dependencies.find(*room); found != dependencies.end()) {
      std::ranges::copy_if(found->second, std::back_inserter(shown),
                           [](const std::string& name) { return name != "util" && name != "kernel"; });
    }
    table += "| `" + *room + "` | " + purpose_of(*room) + " | " + join(shown, ", ") + " |\n";
  }
  return table;
}

} // namespace

// A new room, or a dependency that changed, shows in the page: it cannot drift.
TEST(Architecture, PageListsTheRoomsOfTheBuild)
{
  const std::string begin = "<!-- rooms: tests/architecture writes from here -->\n";
  const std::string end = "<!-- to here -->";
  const fs::path page = k_root / "ARCHITECTURE.md";
  const std::string text = text_of(page);
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to) << "the page has lost its marks";
  const std::string table = table_of_rooms();
  if (std::getenv("HONE_WRITE") != nullptr) {
    ASSERT_TRUE(write_file(page, text.substr(0, from + begin.size()) + table + text.substr(to)));
    return;
  }
  EXPECT_EQ(text.substr(from + begin.size(), to - from - begin.size()), table)
    << "ARCHITECTURE.md is behind the build: HONE_WRITE=1 ./test architecture";
}

// A file that grew without anybody noticing.
TEST(Architecture, FilesOfMoreThan500LinesSayWhy)
{
  for (const auto& entry : fs::recursive_directory_iterator(k_root / "src")) {
    const std::string extension = entry.path().extension();
    if ((extension != ".h" && extension != ".cpp") || entry.path().string().contains("/tests/")) {
      continue;
    }
    const std::string text = text_of(entry.path());
    if (std::ranges::count(text, '\n') > 500) {
      EXPECT_TRUE(text.substr(0, 1000).contains("Long because "))
        << entry.path() << " has more than 500 lines: split it, or say why in its first lines (\"Long because ...\")";
    }
  }
}

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
  const auto declared = declared_dependencies();
  for (const Include& include : includes_between_rooms()) {
    const std::vector<std::string>& allowed = declared.at(include.from);
    EXPECT_TRUE(std::ranges::find(allowed, include.to) != allowed.end())
      << include.file << " includes " << include.header << ", but " << include.from
      << "/CMakeLists.txt does not say so";
  }
}

// Dependencies that nothing needs would hide what a room really knows.
TEST(Architecture, DeclaredDependenciesAreUsed)
{
  std::map<std::string, std::set<std::string>> used;
  for (const Include& include : includes_between_rooms()) {
    used[include.from].insert(include.to);
  }
  for (const auto& [room, dependencies] : declared_dependencies()) {
    for (const std::string& name : dependencies) {
      EXPECT_TRUE(used[room].contains(name))
        << room << "/CMakeLists.txt names '" << name << "', and no file includes it";
    }
  }
}
