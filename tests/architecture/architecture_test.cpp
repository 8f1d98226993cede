// The house rules that a compiler does not check: rooms depend downwards only, and only on each other's public headers;
// ARCHITECTURE.md lists the rooms that the build lists; namespaces are those of rooms; long files and wide classes say
// why.
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

std::vector<fs::path> source_files(bool with_tests = false)
{
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(k_root / "src")) {
    const std::string extension = entry.path().extension();
    if ((extension == ".h" || extension == ".cpp") && (with_tests || !entry.path().string().contains("/tests/"))) {
      files.push_back(entry.path());
    }
  }
  return files;
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
    if (std::regex_search(cmake, match, std::regex(R"(DEPENDS ([a-z_ ]+))"))) {
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
  for (const fs::path& file : source_files()) {
    const std::string text = text_of(file);
    if (std::ranges::count(text, '\n') > 500) {
      EXPECT_TRUE(text.substr(0, 1000).contains("Long because "))
        << file << " has more than 500 lines: split it, or say why in its first lines (\"Long because ...\")";
    }
  }
}

// The lines of a class that begin a public method, as clang-format lays them out.
int public_methods(const std::vector<std::string>& lines, std::size_t at)
{
  static const std::regex k_method("  [^ /}#:].*\\(.*"),
    k_other("  (explicit |friend |using |static_assert|~).*|.*operator.*|.*= delete;.*");
  bool is_public = lines[at].starts_with("struct ");
  const std::string constructor =
    "  " + lines[at].substr(lines[at].find(' ') + 1, lines[at].find(" {") - lines[at].find(' ') - 1) + "(";
  int methods = 0;
  for (++at; at < lines.size() && !lines[at].starts_with("}"); ++at) {
    const std::string& line = lines[at];
    if (line.ends_with(":") && !line.starts_with(" ")) {
      is_public = line == "public:";
    }
    methods += is_public && std::regex_match(line, k_method) && !std::regex_match(line, k_other)
                   && !line.starts_with(constructor)
                 ? 1
                 : 0;
  }
  return methods;
}

// A class that grew without anybody noticing.
TEST(Architecture, ClassesOfMoreThan15PublicMethodsSayWhy)
{
  int classes = 0;
  for (const fs::path& file : source_files()) {
    const std::vector<std::string> lines = split(text_of(file), '\n');
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if ((!lines[i].starts_with("class ") && !lines[i].starts_with("struct ")) || !lines[i].ends_with("{")) {
        continue;
      }
      ++classes;
      if (public_methods(lines, i) > 15) {
        EXPECT_TRUE(lines[i - 1].contains("Wide because "))
          << file << ":" << i + 1 << " has " << public_methods(lines, i)
          << " public methods: split it, or say why in the line before (\"Wide because ...\")";
      }
    }
  }
  EXPECT_GT(classes, 400) << "the search for classes is broken";
}

// Two rooms may use one name; a name says which room it is from.
TEST(Architecture, FilesOpenTheNamespaceOfTheirRoomOnly)
{
  for (const fs::path& file : source_files(true)) {
    const std::string room = fs::relative(file, k_root / "src").begin()->string();
    const std::string wanted = room == "util" ? "hone" : "hone::" + room;
    for (const std::string& opened : all_matches(text_of(file), "(?:^|\n)namespace (hone[a-z_:]*) \\{")) {
      EXPECT_TRUE(opened == wanted || (room != "util" && opened.starts_with(wanted + "::")))
        << file << " opens " << opened << ", not " << wanted;
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
