#include "app/programs.h"

#include "app/model_setup.h"
#include "app/program_engine.h"
#include "llm/answer_store.h"
#include "llm/spending.h"
#include "util/json.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

struct OpenProgram {
  std::unique_ptr<program::Machine> machine;
  std::unique_ptr<program::Judge> judge;
};

Result<OpenProgram> open_program(Context& context, program::Program program, bool timing)
{
  OpenProgram open;
  open.machine = program::make_jail_machine(context.stop);
  program::JudgeOptions options;
  HONE_TRY(options.seed, context.settings.seed());
  options.timing = timing;
  options.progress = [&context](std::string_view text) { context.observer->status(text); };
  options.stop = context.stop;
  HONE_TRY(program::Judge judge, program::Judge::open(std::move(program), *open.machine, std::move(options)));
  open.judge = std::make_unique<program::Judge>(std::move(judge));
  return open;
}

Result<program::ProgramCheck> checked(OpenProgram& open)
{
  HONE_TRY(program::ProgramCheck check, open.judge->check());
  HONE_CHECK(program::keep_check(open.judge->program(), check));
  return check;
}

Json best_json(const std::optional<program::KeptBest>& best)
{
  return best ? Json{{"text", best->text}, {"record", to_json(best->record)}} : Json();
}

} // namespace

Result<program::ProgramCheck> check_program(Context& context, const fs::path& where)
{
  HONE_TRY(program::Program program, program::load(where));
  HONE_TRY(OpenProgram open, open_program(context, std::move(program), true));
  return checked(open);
}

Result<JudgedProgram> judge_program(Context& context, const fs::path& where, const fs::path& region_file, bool timing)
{
  HONE_TRY(program::Program program, program::load(where));
  HONE_TRY(const std::string text, read_file(region_file));
  HONE_TRY(OpenProgram open, open_program(context, std::move(program), timing));
  const program::Program& opened = open.judge->program();
  JudgedProgram judged;
  judged.folder = opened.folder;
  HONE_TRY(judged.record, open.judge->judge(text));
  HONE_CHECK(program::add_record(opened, judged.record));
  HONE_TRY(judged.best, program::keep_if_best(opened, text, judged.record));
  return judged;
}

Result<ProgramHistory> program_history(const fs::path& where)
{
  HONE_TRY(const program::Program program, program::load(where));
  HONE_TRY(const program::Region region,
           program::find_region(program.region_file(), program.region, program.region.file));
  ProgramHistory history;
  history.folder = program.folder;
  history.region = program::to_text(program.region, region);
  HONE_TRY(history.records, program::all_records(program));
  HONE_TRY(history.best, program::best_of(program));
  if (history.best) {
    HONE_TRY(history.patch, program::patch_of(program, history.best->text));
  }
  return history;
}

namespace {

Result<ImprovedProgram> improve_by_engine(Context& context, const fs::path& where,
                                          const std::vector<std::string>& sizes)
{
  HONE_TRY(program::Program loaded, program::load(where));
  program::ImproveAnswer answer;
  HONE_TRY(answer.text, engine_region(context, loaded, sizes));
  HONE_TRY(OpenProgram open, open_program(context, std::move(loaded), true));
  const program::Program& program = open.judge->program();
  HONE_TRY(answer.record, open.judge->judge(answer.text, program::Author::hone));
  HONE_CHECK(program::add_record(program, answer.record));
  HONE_TRY(answer.best, program::keep_if_best(program, answer.text, answer.record));
  ImprovedProgram improved;
  improved.folder = program.folder;
  improved.answers.push_back(std::move(answer));
  HONE_TRY(improved.best, program::best_of(program));
  return improved;
}

} // namespace

Result<ImprovedProgram> improve_program(Context& context, const fs::path& where, const std::vector<std::string>& sizes)
{
  const std::string& words = context.settings.text("model");
  if (words.empty()) {
    return improve_by_engine(context, where, sizes);
  }
  HONE_TRY(program::Program loaded, program::load(where));
  HONE_TRY(const llm::ModelSetting setting,
           llm::model_setting(words, context.settings.text("model-url"), llm::process_environment()));
  HONE_TRY(const auto provider,
           open_provider(context, setting, llm::AnswerStore(loaded.folder / ".hone" / "answers"), {},
                         [&context](const llm::ModelSpending& spent) { context.observer->status(to_text(spent)); }));
  HONE_TRY(OpenProgram open, open_program(context, std::move(loaded), true));
  const program::Program& program = open.judge->program();
  HONE_TRY(auto check, program::kept_check(program));
  if (!check) {
    HONE_TRY(check, checked(open));
  }
  if (!check->sound()) {
    return fail("this program cannot be optimised as it is", "`hone program check` says why",
                {program.file.string(), 1, 0});
  }
  HONE_TRY(const auto best, program::best_of(program));
  program::ImproveRequest request;
  request.provider = provider.get();
  request.model = setting.model.empty() ? setting.provider : setting.model;
  HONE_TRY(request.prompt, read_file(share_folder() / "prompts" / "program.md"));
  request.start = best ? best->text : open.judge->region().text;
  request.baseline = *check;
  HONE_TRY(const std::int64_t samples, context.settings.integer("samples"));
  HONE_TRY(const std::int64_t repairs, context.settings.integer("repairs"));
  constexpr std::int64_t k_most = 100;
  if (samples < 1 || samples > k_most || repairs < 0 || repairs > k_most) {
    return fail("--samples or --repairs is out of range", fmt::format("give a number up to {}", k_most),
                Place{"--samples", 0, 0});
  }
  request.attempts = static_cast<int>(samples);
  request.repairs = static_cast<int>(repairs);
  request.told = [&context](std::string_view text) { context.observer->note(text); };
  request.kept = [&program](const std::string& text, const program::ProgramRecord& record) -> Result<bool> {
    HONE_CHECK(program::add_record(program, record));
    return program::keep_if_best(program, text, record);
  };
  ImprovedProgram improved;
  improved.folder = program.folder;
  HONE_TRY(improved.answers, program::improve(*open.judge, request, context.stop));
  HONE_TRY(improved.best, program::best_of(program));
  return improved;
}

Json to_json(const JudgedProgram& judged)
{
  Json json = program::to_json(judged.record);
  json["folder"] = judged.folder.string();
  json["best"] = judged.best;
  return json;
}

Json to_json(const ProgramHistory& history)
{
  Json records = Json::array();
  for (const program::ProgramRecord& record : history.records) {
    records.push_back(program::to_json(record));
  }
  return {{"folder", history.folder.string()},
          {"region", history.region},
          {"records", records},
          {"best", best_json(history.best)},
          {"patch", history.patch}};
}

Json to_json(const ImprovedProgram& improved)
{
  Json answers = Json::array();
  for (const program::ImproveAnswer& answer : improved.answers) {
    answers.push_back({{"text", answer.text}, {"best", answer.best}, {"record", program::to_json(answer.record)}});
  }
  return {{"folder", improved.folder.string()}, {"answers", answers}, {"best", best_json(improved.best)}};
}

} // namespace hone::app
