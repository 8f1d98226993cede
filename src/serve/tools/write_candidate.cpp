#include "app/history.h"
#include "kernel/kernel.h"
#include "serve/tools/tool_list.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

constexpr std::size_t k_longest_file = 1 << 20;

using Files = std::map<std::string, std::string>;

Result<void> check_file_name(const std::string& name)
{
  const bool good =
    !name.empty() && name.size() <= 64 && !name.starts_with('.') && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    });
  if (!good) {
    return fail(fmt::format("'{}' is no file of a candidate", printable(name.substr(0, 80))),
                "they are device.cpp (or .cl, .hlsl, .cu, .hip), macros.h and launch.toml", Place{"files", 0, 0});
  }
  return {};
}

Result<Files> files_in(const fs::path& folder)
{
  Files files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      HONE_TRY(files[entry->path().filename().string()], read_file(entry->path()));
    }
  }
  return files;
}

// What the candidate begins with: itself where it is there already, else `from`.
Result<Files> files_to_begin_with(const ToolCall& call, const KernelInUse& use, const app::Workbench& bench,
                                  const fs::path& folder)
{
  const bool given = call.arguments.contains("from");
  std::error_code error;
  if (!given && fs::exists(folder / "launch.toml", error)) {
    return files_in(folder);
  }
  const std::string from = text_in(call.arguments, "from", "naive");
  if (from == "naive") {
    HONE_TRY(const record::Contender naive, app::naive_contender(bench));
    return naive.candidate.files;
  }
  HONE_TRY(const std::string name, call.place.candidate(use, from));
  if (app::names_folder(name, nullptr)) {
    return files_in(name);
  }
  HONE_TRY(const store::Checkpoint checkpoint,
           app::show_checkpoint({use.settings, call.exchange.stop}, use.request, name));
  return checkpoint.candidate.files;
}

Result<void> edit(Files& files, const Json& edit)
{
  const auto file = edit["file"].get<std::string>(), old = edit["old"].get<std::string>();
  const auto found = files.find(file);
  if (found == files.end()) {
    return fail(fmt::format("the candidate has no file '{}'", printable(file)), "read_candidate shows those it has",
                Place{"edits", 0, 0});
  }
  std::string& text = found->second;
  const std::size_t at = old.empty() ? std::string::npos : text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    return fail(
      fmt::format("'old' of an edit stands {} in {}", at == std::string::npos ? "nowhere" : "more than once", file),
      "give exactly the text that stands there, with enough around it to be there once", Place{file, 0, 0});
  }
  text.replace(at, old.size(), edit["new"].get<std::string>());
  return {};
}

Result<fs::path> folder_for(const ToolCall& call, const KernelInUse& use)
{
  const std::string name = text_in(call.arguments, "name");
  HONE_CHECK(check_scratch_name(name));
  const std::string into = text_in(call.arguments, "into");
  return into.empty() ? Result<fs::path>(use.scratch() / name) : call.place.folder_to_write(use, into);
}

Result<void> make_folder(const KernelInUse& use, const fs::path& folder)
{
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || fs::is_symlink(folder, error)) {
    return fail(
      fmt::format("cannot make the folder '{}': {}", folder.string(), error ? error.message() : "it is a link"),
      "free the name, or start `hone mcp --state DIR` with a folder that can be written", Place{folder.string(), 0, 0});
  }
  const fs::path ignore = use.state / ".gitignore"; // as workflows have it
  return fs::exists(ignore, error) || !lies_in(folder, use.state) ? Result<void>() : write_file(ignore, "*\n");
}

Result<ToolAnswer> write_candidate(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  const app::Context context{use.settings, call.exchange.stop};
  HONE_TRY(const app::Workbench bench, app::open_workbench(context, use.request));
  call.place.prepare(use);
  HONE_TRY(const fs::path folder, folder_for(call, use));
  HONE_TRY(Files files, files_to_begin_with(call, use, bench, folder));
  const Json given = call.arguments.value("files", Json::object());
  for (const auto& [name, text] : given.items()) {
    HONE_CHECK(check_file_name(name));
    files[name] = text.get<std::string>();
  }
  const Json edits = call.arguments.value("edits", Json::array());
  for (const Json& one : edits) {
    HONE_CHECK(edit(files, one));
  }
  HONE_CHECK(make_folder(use, folder));
  Json sizes = Json::object();
  for (const auto& [name, text] : files) {
    if (text.size() > k_longest_file) {
      return fail(fmt::format("'{}' is longer than 1 MiB", name), "a candidate is source text", Place{name, 0, 0});
    }
    HONE_CHECK(write_file(folder / name, text));
    sizes[name] = text.size();
  }
  ToolAnswer answer{
    {{"candidate", call.arguments.contains("into") ? call.place.roots().shown(folder)
                                                   : std::string(k_scratch) + text_in(call.arguments, "name")},
     {"folder", folder.string()},
     {"files", std::move(sizes)}}};
  const auto loaded = kernel::load_candidate(*bench.kernel, folder);
  answer.content["valid"] = loaded.has_value();
  if (!loaded) {
    answer.content["mistake"] = error_json(loaded.error());
  }
  return answer;
}

} // namespace

Tool write_candidate_tool()
{
  Tool tool;
  tool.name = "write_candidate";
  tool.title = "Write a candidate";
  tool.description =
    "Makes or changes a scratch candidate: begins with `from` (default: itself if it is there, else the plain "
    "candidate), puts whole `files` in, then carries `edits` out. Says at once whether launch.toml is right; "
    "run_candidate puts it through the gate. Example: write_candidate {\"kernel\": \"softmax\", \"name\": "
    "\"mine\", \"from\": \"naive\", \"edits\": [{\"file\": \"device.cpp\", \"old\": \"int j = 0\", \"new\": "
    "\"int j = 1\"}]}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"name", text_schema("Letters, digits, '-' and '_'. Other tools call it scratch/NAME."), true});
  members.push_back({"from", text_schema("naive, best, start, a checkpoint's id, scratch/NAME or a folder.")});
  members.push_back({"files", named_schema("Whole texts by file name: device.cpp, macros.h, launch.toml.", ".",
                                           text_schema("The text."))});
  members.push_back(
    {"edits", list_schema("Replacements, in this order.",
                          object_schema("One.", {{"file", text_schema("Its name."), true},
                                                 {"old", text_schema("Stands in it exactly once."), true},
                                                 {"new", text_schema("What comes in its place."), true}}))});
  members.push_back({"into", text_schema("A folder in place of scratch; needs a server started with --allow-writes.")});
  tool.input = object_schema("What to write.", members);
  tool.output =
    output_schema("What was written.", {{"candidate", text_schema("Its name for the other tools."), true},
                                        {"folder", text_schema("Where it stands.")},
                                        {"files", any_object_schema("Bytes by file name.")},
                                        {"valid", flag_schema("launch.toml and files belong together."), true},
                                        {"mistake", any_object_schema("message, hint and place if not.")}});
  tool.read_only = false;
  tool.call = write_candidate;
  return tool;
}

} // namespace hone::serve
