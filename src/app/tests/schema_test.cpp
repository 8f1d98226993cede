// The schemas that `hone check --schema` prints allow what the readers read, and nothing else: keys and words are taken
// from what the readers themselves say when they meet one that they do not know.
#include "app/settings.h"
#include "catalogue/catalogue.h"
#include "catalogue/schema.h"
#include "kernel/kernel.h"
#include "kernel/schema.h"
#include "policy/policy.h"
#include "policy/schema.h"
#include "schema_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>

using namespace hone;

namespace {

const fs::path k_root = HONE_SOURCE_ROOT;

constexpr const char* k_kernel = R"TOML(
[kernel]
name = "sample"
[compute]
expr = "Y[i] = a * X[i]"
[arguments]
a = { type = "f32" }
X = { type = "f32", shape = ["n"], domain = [0.0, inf] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 16 } ]
also = "any"
[accuracy]
accumulate = "f32"
)TOML";

constexpr const char* k_launch = R"TOML(
[tuning]
TILE = { values = [8, 16], default = 8 }
constraints = ["TILE <= 16"]
[[scratch]]
name = "partial"
type = "f32"
size = "n"
[[tensor_map]]
name = "map_X"
tensor = "X"
sizes = ["n"]
box = ["TILE"]
swizzle = 128
[[launch]]
kernel = "sample"
grid = ["ceil_div(n, TILE)"]
args = ["X", "Y", "n"]
fill = { buffer = "partial" }
)TOML";

constexpr const char* k_head = R"TOML(
name = "sample"
intent = "Change something"
bottleneck = "instruction count"
speed = "faster"
classes = ["map"]
types = ["f32"]
backends = ["cpu"]
[[passes]]
name = "edit"
region = "device"
[[parameters]]
name = "TILE"
values = [1, 2]
meaning = "how much"
)TOML";

constexpr const char* k_steps = R"TOML(
summary = "a list"
[[step]]
apply = "sample"
pays = "later"
[[step]]
tune = 4
seconds = 2
)TOML";

constexpr const char* k_settings = R"TOML(
backend = "cpu"
budget = 20
)TOML";

using Mistakes = std::vector<std::string>;

std::string with_hint(const Error& error)
{
  return error.message + "; " + error.hint;
}

template <class T> Mistakes mistakes_of(const Result<T>& result)
{
  return result ? Mistakes{} : Mistakes{with_hint(result.error())};
}

Mistakes read_head(const std::string& text)
{
  const std::string body =
    "\n+++\n## Why\nx\n## Pass: edit\nTILE\n## Snippets\nx\n## Pitfalls\nx\n## How to check\nx\n";
  return mistakes_of(catalogue::parse_transformation("+++\n" + text + body, "sample.md"));
}

// Reads a file the way Hone does; `use` gets its path.
template <class Use> Mistakes read_as_file(const std::string& name, const std::string& text, Use use)
{
  const auto folder = TemporaryFolder::create("hone-schema-test-");
  const fs::path file = folder->path() / name;
  EXPECT_TRUE(write_file(file, text));
  return use(file);
}

Mistakes read_steps(const std::string& text)
{
  return read_as_file("steps.toml", text,
                      [](const fs::path& file) { return mistakes_of(policy::make_policy("sequence", file)); });
}

Mistakes read_settings(const std::string& text)
{
  return read_as_file("hone.toml", text,
                      [](const fs::path& file) { return mistakes_of(app::Settings::load(file.parent_path())); });
}

struct Kind {
  std::string name;
  Json schema;
  std::string sample;
  Mistakes (*read)(const std::string&);
};

const std::vector<Kind>& kinds()
{
  static const std::vector<Kind> all{
    {"kernel", kernel::kernel_file_schema(), k_kernel,
     [](const std::string& text) { return mistakes_of(kernel::parse_kernel(text, "kernel.toml")); }},
    {"launch", kernel::launch_file_schema(), k_launch,
     [](const std::string& text) { return mistakes_of(kernel::parse_launch_plan(text, "launch.toml")); }},
    {"head", catalogue::transformation_head_schema(), k_head, read_head},
    {"steps", policy::step_list_schema(), k_steps, read_steps},
    {"settings", app::settings_schema(), k_settings, read_settings},
  };
  return all;
}

const Kind& kind_named(const std::string& name)
{
  return *std::ranges::find(kinds(), name, &Kind::name);
}

Json parsed(const std::string& text)
{
  return json_of(toml::parse(text));
}

std::string changed(const Kind& kind, const std::string& from, const std::string& to)
{
  EXPECT_THAT(kind.sample, testing::HasSubstr(from));
  return replace_all(kind.sample, from, to);
}

// The names that a reader lists in "... expected a, b, c", "expected one of a, b" or "one of: a, b".
std::set<std::string> listed(const std::string& message)
{
  std::smatch match;
  if (!std::regex_search(message, match, std::regex("(?:expected one of|expected|one of:) ([^;]*)"))) {
    return {};
  }
  std::set<std::string> names;
  for (const std::string& name : split(match[1].str(), ',')) {
    names.emplace(trim(name));
  }
  return names;
}

std::set<std::string> names_at(const Kind& kind, const std::string& pointer)
{
  const Json& at = kind.schema.at(Json::json_pointer(pointer));
  std::set<std::string> names;
  if (at.is_array()) {
    for (const Json& word : at) {
      names.insert(word.get<std::string>());
    }
  }
  for (const auto& [name, member] : at.items()) {
    if (at.is_object()) {
      names.insert(name);
    }
  }
  return names;
}

// A change of a sample that puts something unknown in, and where the schema holds what is known there.
struct Unknown {
  std::string kind, pointer, from, to;
};

void PrintTo(const Unknown& unknown, std::ostream* out)
{
  *out << unknown.kind << unknown.pointer;
}

class UnknownThing : public testing::TestWithParam<Unknown> {};

TEST(Schema, AcceptsTheSamplesThatTheReadersAccept)
{
  for (const Kind& kind : kinds()) {
    EXPECT_THAT(kind.read(kind.sample), testing::IsEmpty()) << kind.name;
    EXPECT_THAT(complaints(kind.schema, parsed(kind.sample)), testing::IsEmpty()) << kind.name;
    EXPECT_EQ(kind.schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  }
}

TEST_P(UnknownThing, IsRefusedByReaderAndSchemaWhichKnowTheSameNames)
{
  const Unknown& unknown = GetParam();
  const Kind& kind = kind_named(unknown.kind);
  const std::string text = changed(kind, unknown.from, unknown.to);
  const Mistakes mistakes = kind.read(text);
  ASSERT_FALSE(mistakes.empty());
  EXPECT_EQ(listed(mistakes.front()), names_at(kind, unknown.pointer)) << mistakes.front();
  EXPECT_THAT(complaints(kind.schema, parsed(text)), testing::Not(testing::IsEmpty()));
}

const std::string k_argument = "/properties/arguments/patternProperties/^[A-Za-z_][A-Za-z0-9_]*$/properties";
const std::string k_parameter =
  "/properties/tuning/patternProperties/^(?!constraints$)[A-Za-z_][A-Za-z0-9_]*$/properties";
const std::string k_entry = "/items/properties";

INSTANTIATE_TEST_SUITE_P(
  Key, UnknownThing,
  testing::Values(Unknown{"kernel", "/properties", "[kernel]", "[qqqqqqqq]\n[kernel]"},
                  Unknown{"kernel", "/properties/kernel/properties", "[kernel]", "[kernel]\nqqqqqqqq = 1"},
                  Unknown{"kernel", "/properties/compute/properties", "[compute]", "[compute]\nqqqqqqqq = 1"},
                  Unknown{"kernel", k_argument, "{ type = \"f32\" }", "{ type = \"f32\", qqqqqqqq = 1 }"},
                  Unknown{"kernel", "/properties/sizes/properties", "[sizes]", "[sizes]\nqqqqqqqq = 1"},
                  Unknown{"kernel", "/properties/accuracy/properties", "[accuracy]", "[accuracy]\nqqqqqqqq = 1"},
                  Unknown{"launch", "/properties", "[tuning]", "[qqqqqqqq]\n[tuning]"},
                  Unknown{"launch", k_parameter, "default = 8", "default = 8, qqqqqqqq = 1"},
                  Unknown{"launch", "/properties/scratch" + k_entry, "[[scratch]]", "[[scratch]]\nqqqqqqqq = 1"},
                  Unknown{"launch", "/properties/launch" + k_entry, "[[launch]]", "[[launch]]\nqqqqqqqq = 1"},
                  Unknown{"launch", "/properties/launch" + k_entry + "/fill/properties", "{ buffer",
                          "{ qqqqqqqq = 1, buffer"},
                  Unknown{"head", "/properties", "[[passes]]", "qqqqqqqq = 1\n[[passes]]"},
                  Unknown{"head", "/properties/passes" + k_entry, "[[passes]]", "[[passes]]\nqqqqqqqq = 1"},
                  Unknown{"head", "/properties/parameters" + k_entry, "[[parameters]]", "[[parameters]]\nqqqqqqqq = 1"},
                  Unknown{"steps", "/properties", "summary", "qqqqqqqq = 1\nsummary"},
                  Unknown{"steps", "/properties/step" + k_entry, "[[step]]\napply", "[[step]]\nqqqqqqqq = 1\napply"}));

INSTANTIATE_TEST_SUITE_P(
  Word, UnknownThing,
  testing::Values(Unknown{"kernel", k_argument + "/type/enum", "{ type = \"f32\" }", "{ type = \"qqqqqqqq\" }"},
                  Unknown{"kernel", k_argument + "/role/enum", "\"output\"", "\"qqqqqqqq\""},
                  Unknown{"kernel", "/properties/sizes/properties/also/enum", "\"any\"", "\"qqqqqqqq\""},
                  Unknown{"kernel", "/properties/accuracy/properties/accumulate/enum", "accumulate = \"f32\"",
                          "accumulate = \"qqqqqqqq\""},
                  Unknown{"launch", "/properties/scratch" + k_entry + "/type/enum", "\"f32\"", "\"qqqqqqqq\""},
                  Unknown{"head", "/properties/speed/enum", "\"faster\"", "\"qqqqqqqq\""},
                  Unknown{"head", "/properties/classes/items/enum", "\"map\"", "\"qqqqqqqq\""},
                  Unknown{"head", "/properties/types/items/enum", "\"f32\"", "\"qqqqqqqq\""},
                  Unknown{"head", "/properties/backends/items/enum", "\"cpu\"", "\"qqqqqqqq\""},
                  Unknown{"head", "/properties/passes" + k_entry + "/region/enum", "\"device\"", "\"qqqqqqqq\""}));

TEST(Schema, SettingsAreThoseThatThereAre)
{
  std::set<std::string> names;
  for (const app::Setting& setting : app::Settings::defaults().all()) {
    names.insert(setting.name);
  }
  const Kind& kind = kind_named("settings");
  EXPECT_EQ(names, names_at(kind, "/properties"));
  const std::string text = std::string("qqqqqqqq = 1\n") + k_settings;
  EXPECT_THAT(kind.read(text), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(complaints(kind.schema, parsed(text)), testing::Not(testing::IsEmpty()));
}

TEST(Schema, WhatIsRequiredIsRequiredByBoth)
{
  const std::vector<std::pair<std::string, std::string>> lines{
    {"kernel", "name = \"sample\"\n"},
    {"kernel", "expr = \"Y[i] = a * X[i]\"\n"},
    {"kernel", "timed = [ { n = 16 } ]\n"},
    {"kernel", "type = \"f32\", shape"},
    {"launch", "values = [8, 16], "},
    {"launch", "name = \"partial\"\n"},
    {"launch", "size = \"n\"\n"},
    {"launch", "kernel = \"sample\"\n"},
    {"launch", "buffer = \"partial\""},
    {"head", "intent = \"Change something\"\n"},
    {"head", "bottleneck = \"instruction count\"\n"},
    {"head", "speed = \"faster\"\n"},
    {"head", "name = \"edit\"\n"},
    {"head", "region = \"device\"\n"},
    {"head", "values = [1, 2]\n"},
    {"head", "meaning = \"how much\"\n"},
    {"steps", "apply = \"sample\"\n"},
    {"steps", "tune = 4\n"},
  };
  for (const auto& [name, line] : lines) {
    const Kind& kind = kind_named(name);
    const std::string text = changed(kind, line, line.ends_with("shape") ? "shape" : "");
    EXPECT_THAT(kind.read(text), testing::Not(testing::IsEmpty())) << name << " without " << line;
    EXPECT_THAT(complaints(kind.schema, parsed(text)), testing::Not(testing::IsEmpty())) << name << " without " << line;
  }
}

TEST(Schema, AcceptsEveryShippedFile)
{
  std::map<std::string, int> seen;
  const auto expect_valid = [&](const std::string& kind, const std::string& text, const fs::path& file) {
    EXPECT_THAT(complaints(kind_named(kind).schema, parsed(text)), testing::IsEmpty()) << file;
    ++seen[kind];
  };
  for (const char* folder : {"kernels", "recipes", "transformations", "tests/attacks"}) {
    for (const auto& entry : fs::recursive_directory_iterator(k_root / folder)) {
      const fs::path& file = entry.path();
      const std::string text = entry.is_regular_file() ? read_file(file).value() : "";
      if (file.string().contains("/.hone/")) {
        continue; // workflows of whoever worked here
      }
      if (file.filename() == "kernel.toml") {
        expect_valid("kernel", text, file);
      } else if (file.filename() == "launch.toml") {
        expect_valid("launch", text, file);
      } else if (file.extension() == ".toml" && file.string().contains("/recipes/")) {
        expect_valid("steps", text, file);
      } else if (text.starts_with("+++\n")) {
        expect_valid("head", text.substr(4, text.find("\n+++", 4) - 3), file);
      }
    }
  }
  EXPECT_GE(seen["kernel"], 8);
  EXPECT_GE(seen["launch"], 8);
  EXPECT_GE(seen["steps"], 2);
  EXPECT_GE(seen["head"], 8);
}

} // namespace
