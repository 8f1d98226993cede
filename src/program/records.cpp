#include "program/records.h"

#include "program/judge.h"
#include "program/unified_diff.h"
#include "record/tier.h"
#include "util/disk.h"
#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace hone::program {

namespace {

fs::path state_of(const Program& program)
{
  return program.folder / ".hone";
}

Result<void> make_state(const Program& program)
{
  std::error_code code;
  fs::create_directories(state_of(program), code);
  if (code) {
    return fail(fmt::format("cannot make {}: {}", state_of(program).string(), code.message()),
                "the program's folder must be one that you may write to");
  }
  return {};
}

} // namespace

Result<void> add_record(const Program& program, const ProgramRecord& record)
{
  HONE_CHECK(make_state(program));
  const fs::path path = state_of(program) / "records.jsonl";
  std::ofstream file(path, std::ios::app);
  file << to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  if (!file.flush()) {
    return fail(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), make_room_hint(path));
  }
  return {};
}

Result<std::vector<ProgramRecord>> all_records(const Program& program)
{
  const fs::path path = state_of(program) / "records.jsonl";
  std::vector<ProgramRecord> records;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return records;
  }
  HONE_TRY(const std::string text, read_file(path));
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) {
      HONE_TRY(const Json json, parse_json(line, path.string()));
      HONE_TRY(ProgramRecord record, program_record_from(json, path.string()));
      records.push_back(std::move(record));
    }
  }
  return records;
}

Result<std::optional<KeptBest>> best_of(const Program& program)
{
  const fs::path path = state_of(program) / "best.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::nullopt;
  }
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json json, parse_json(text, path.string()));
  if (!json.is_object() || !json.contains("text") || !json["text"].is_string() || !json.contains("record")) {
    return fail("this is no replacement that was kept", "remove the file, and judge the replacement again",
                {path.string(), 1, 0});
  }
  HONE_TRY(ProgramRecord record, program_record_from(json["record"], path.string()));
  if (record.sources != sources_hash(program)) {
    return std::nullopt;
  }
  return KeptBest{json["text"].get<std::string>(), std::move(record)};
}

Result<bool> keep_if_best(const Program& program, const std::string& replacement, const ProgramRecord& record)
{
  if (!record.accepted()) {
    return false;
  }
  HONE_TRY(const auto best, best_of(program));
  if (best && best->record.whole && best->record.whole->ratio >= record.whole->ratio) {
    return false;
  }
  HONE_CHECK(make_state(program));
  const Json kept{{"text", replacement}, {"record", to_json(record)}};
  HONE_CHECK(write_file(state_of(program) / "best.json", kept.dump(2, ' ', false, Json::error_handler_t::replace)));
  return true;
}

Json to_json(const ProgramCheck& check)
{
  return {{"program", check.program},
          {"tier", name_of(record::Tier::c)},
          {"sources", check.sources},
          {"region", check.region},
          {"lines", check.lines},
          {"sound", check.sound()},
          {"repeats", check.repeats},
          {"difference", check.difference},
          {"whole_s", check.whole_s},
          {"region_s", check.region_s},
          {"entries", check.entries},
          {"share", check.share},
          {"start_s", check.started_s},
          {"reals", check.reals},
          {"without_region", check.without_region},
          {"notices_nothing", check.notices_nothing},
          {"warnings", check.warnings},
          {"text", check.text}};
}

Result<void> keep_check(const Program& program, const ProgramCheck& check)
{
  HONE_CHECK(make_state(program));
  return write_file(state_of(program) / "check.json",
                    to_json(check).dump(2, ' ', false, Json::error_handler_t::replace));
}

Result<std::optional<ProgramCheck>> kept_check(const Program& program)
{
  const fs::path path = state_of(program) / "check.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::nullopt;
  }
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json json, parse_json(text, path.string()));
  try {
    ProgramCheck check;
    check.program = json.at("program").get<std::string>();
    check.sources = json.at("sources").get<std::string>();
    if (check.sources != sources_hash(program)) {
      return std::nullopt;
    }
    check.region = json.at("region").get<std::string>();
    check.text = json.at("text").get<std::string>();
    check.lines = json.at("lines").get<int>();
    check.repeats = json.at("repeats").get<bool>();
    check.difference = json.at("difference").get<std::string>();
    check.whole_s = json.at("whole_s").get<double>();
    check.region_s = json.at("region_s").get<double>();
    check.entries = json.at("entries").get<double>();
    check.share = json.at("share").get<double>();
    check.started_s = json.at("start_s").get<double>();
    check.reals = json.at("reals").get<std::size_t>();
    check.without_region = json.at("without_region").get<std::string>();
    check.notices_nothing = json.at("notices_nothing").get<bool>();
    check.warnings = json.at("warnings").get<std::vector<std::string>>();
    return check;
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no check of a program: {}", error.what()),
                "remove the file; `hone program check` writes it again", {path.string(), 1, 0});
  }
}

Result<std::string> patch_of(const Program& program, const std::string& replacement)
{
  HONE_TRY(const Tree changed, with_replacement(program, replacement));
  const std::string name = program.source_folder + "/" + program.region.file;
  return unified_diff("a/" + name, program.region_file(), "b/" + name, changed.at(program.region.file));
}

} // namespace hone::program
