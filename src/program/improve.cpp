#include "program/improve.h"

#include "util/text.h"

#include <fmt/format.h>

namespace hone::program {

namespace {

constexpr std::size_t k_log_told = 3000; // characters of a compiler's messages

std::string command_text(const std::vector<std::string>& words)
{
  return join(words, " ");
}

// Without measured numbers: the same answer is followed by the same request on another day.
std::string finding_text(const ProgramRecord& record)
{
  if (record.status != record::Status::correct) {
    return fmt::format("The judge says {}: {}\n{}\nAnswer with the whole region again, mended, in one fenced block.",
                       name_of(record.status), record.reason, record.log.substr(0, k_log_told));
  }
  return "The region is right, and the whole program is not measurably faster with it. Try another way, and answer "
         "with "
         "the whole region in one fenced block.";
}

std::string told_text(const ImproveAnswer& answer)
{
  const std::string reason = answer.record.reason.substr(0, answer.record.reason.find('\n'));
  return to_text(answer.record) + (reason.empty() ? "" : ": " + reason) + (answer.best ? "; kept" : "");
}

} // namespace

std::string region_in(std::string_view answer)
{
  std::string found;
  std::size_t at = 0;
  while ((at = answer.find("```", at)) != answer.npos) {
    const std::size_t begin = answer.find('\n', at);
    const std::size_t end = begin == answer.npos ? answer.npos : answer.find("\n```", begin);
    if (end == answer.npos) {
      return found;
    }
    found = answer.substr(begin + 1, end - begin);
    at = end + std::string_view("\n```").size();
  }
  return found;
}

Result<std::string> prompt_for(const Program& program, const ImproveRequest& request, const std::string& text)
{
  const ProgramCheck& baseline = request.baseline;
  std::string outputs;
  for (const OutputSpec& output : program.outputs) {
    outputs += (outputs.empty() ? "" : ", ") + output.name;
  }
  const Values values{
    {"program", program.name},
    {"build", command_text(program.build)},
    {"run", command_text(program.run)},
    {"cpus", std::to_string(program.time.cpus)},
    {"outputs", outputs},
    {"relative", fmt::format("{}", program.tolerance.relative)},
    {"absolute", fmt::format("{}", program.tolerance.absolute)},
    {"place", baseline.region},
    {"file", program.region_file()},
    {"region", text},
    {"whole", format_seconds(baseline.whole_s)},
    {"within", format_seconds(baseline.region_s)},
    {"entries", fmt::format("{:.0f}", baseline.entries)},
    {"share", fmt::format("{:.0f}", 100 * baseline.share)},
  };
  return filled(request.prompt, values);
}

Result<std::vector<ImproveAnswer>> improve(Judge& judge, const ImproveRequest& request, std::stop_token stop)
{
  std::vector<ImproveAnswer> answers;
  std::string start = request.start;
  for (int attempt = 0; attempt < request.attempts; ++attempt) {
    llm::ModelRequest question;
    question.model = request.model;
    question.sample = attempt;
    HONE_TRY(std::string prompt, prompt_for(judge.program(), request, start));
    question.messages.push_back({llm::ModelMessage::Role::user, std::move(prompt)});
    for (int repair = 0; repair <= request.repairs; ++repair) {
      const auto said = request.provider->ask(question, {nullptr, request.told, stop});
      if (!said && said.error().kind == llm::ModelFailure::Kind::answer) {
        break; // refused: another sample may do
      }
      if (!said) {
        return std::unexpected(said.error().error);
      }
      ImproveAnswer answer;
      answer.text = region_in(said->text);
      if (answer.text.empty()) {
        answer.record.status = record::Status::rejected;
        answer.record.reason = "the answer holds no fenced block";
      } else {
        HONE_TRY(answer.record, judge.judge(answer.text));
        HONE_TRY(answer.best, request.kept(answer.text, answer.record));
      }
      if (request.told) {
        request.told(told_text(answer));
      }
      answers.push_back(answer);
      if (answer.best) {
        start = answer.text;
        break;
      }
      question.messages.push_back({llm::ModelMessage::Role::assistant, said->text});
      question.messages.push_back({llm::ModelMessage::Role::user, finding_text(answer.record)});
    }
  }
  return answers;
}

} // namespace hone::program
