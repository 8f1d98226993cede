#include "app/program_engine.h"

#include "app/climb.h"
#include "app/import_function.h"
#include "app/ship.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

constexpr const char* k_way_out = "judge a region of your own (hone program run DIR --region FILE), or name a model";

Result<void> engine_takes(const program::Program& program)
{
  const bool is_c = fs::path(program.region.file).extension() == ".c";
  if (!is_c || program.region.function.empty()) {
    return fail("the built-in engine takes a region that is a function in plain C", k_way_out,
                {program.file.string(), 1, 0});
  }
  return {};
}

// A kernel made of the region's function, in a folder of its own.
Result<ImportedKernel> kernel_of(const program::Program& program, const fs::path& folder,
                                 const std::vector<std::string>& sizes)
{
  ImportRequest request;
  request.file = (program.folder / program.source_folder / program.region.file).string();
  request.function = program.region.function;
  request.folder = folder.string();
  request.sizes = sizes;
  request.include_folders = {(program.folder / program.source_folder).string()};
  HONE_TRY(const import::ForeignAnswer answer, understand_function(request));
  if (!answer.questions.empty()) {
    Error question = answer.questions.front().what;
    question.hint = question.hint.empty() ? k_way_out : question.hint + "; or " + k_way_out;
    return std::unexpected(std::move(question));
  }
  return write_imported(request, answer.kernel);
}

// Without the lines that hold `part`.
std::string without_lines(const std::string& text, std::string_view part)
{
  std::string kept;
  for (const std::string& line : split(text, '\n')) {
    kept += line.find(part) == line.npos ? line + "\n" : "";
  }
  return kept;
}

// The shipped files as one text. What both sources define alike is defined once.
Result<std::string> merged(const fs::path& folder, const std::string& name)
{
  HONE_TRY(const std::string header, read_file(folder / (name + ".h")));
  HONE_TRY(const std::string source, read_file(folder / (name + ".c")));
  HONE_TRY(std::string groups, read_file(folder / (name + "_groups.c")));
  const std::string type_begin = fmt::format("typedef struct {}_group {{", name);
  const std::string type_end = fmt::format("}} {}_group;", name);
  const std::size_t begin = groups.find(type_begin);
  const std::size_t end = groups.find(type_end, begin == groups.npos ? 0 : begin);
  if (begin != groups.npos && end != groups.npos) {
    groups.erase(begin, end + type_end.size() - begin);
  }
  const std::string own_header = fmt::format("#include \"{}.h\"", name);
  return "#pragma GCC push_options\n#pragma GCC optimize(\"O3\", \"no-math-errno\", \"no-strict-aliasing\")\n" + header
         + without_lines(source, own_header) + without_lines(groups, own_header) + "#pragma GCC pop_options\n";
}

} // namespace

Result<std::string> engine_region(Context& context, const program::Program& program,
                                  const std::vector<std::string>& sizes)
{
  HONE_CHECK(engine_takes(program));
  const fs::path folder = program.folder / ".hone" / "engine";
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::create_directories(folder, ignored);
  context.observer->note("the region becomes a kernel");
  HONE_TRY(const ImportedKernel imported, kernel_of(program, folder / "kernel", sizes));
  HONE_TRY(const record::Record record, judge_imported(context, imported));
  if (record.verdict.status != record::Status::correct) {
    return fail(fmt::format("the region is not understood: {}", record.verdict.reason), k_way_out,
                {imported.file.string(), 1, 0});
  }
  ClimbRequest climb_request;
  climb_request.kernel.kernel = imported.folder.string();
  climb_request.no_baselines = true;
  HONE_TRY(const ClimbResult climbed, climb(context, climb_request));
  if (context.stop.stop_requested()) {
    return fail("stopped");
  }
  ShipRequest ship_request;
  ship_request.kernel.kernel = imported.folder.string();
  ship_request.folder = (folder / "shipped").string();
  HONE_TRY(const ShipResult shipped, ship_checkpoint(context, ship_request));
  return merged(shipped.folder, shipped.function);
}

} // namespace hone::app
