// hone doctor: what holds on this machine, and what to do about the rest.
#include "app/doctor.h"

#include "cli/command_line.h"

namespace hone::cli {

namespace {

Result<Exit> diagnose_and_print(Context& context)
{
  const Diagnosis diagnosis = diagnose(context);
  const Terminal& terminal = context.terminal;
  std::vector<std::vector<std::string>> rows;
  for (const MachineFinding& finding : diagnosis.findings) {
    const Tone tone = finding.good ? Tone::good : finding.needed ? Tone::bad : Tone::warning;
    const char* const word = finding.good ? "ok  " : finding.needed ? "FAIL" : "none";
    rows.push_back({terminal.paint(tone, word), finding.name, finding.detail});
  }
  terminal.out(aligned_table(rows));
  terminal.out(diagnosis.sound() ? "This machine can run Hone."
                                 : "Hone cannot work here until what is marked FAIL is mended.");
  context.print_json(to_json(diagnosis));
  return diagnosis.sound() ? Exit::ok : Exit::missing;
}

} // namespace

void add_doctor(CommandLine& line)
{
  CLI::App* command = line.add("doctor", "Check tools, isolation layers, devices, folders and a model of this machine",
                               {"hone doctor", "hone doctor --model openai/gpt-5-mini"}, diagnose_and_print);
  line.add_setting(command, "model", "PROVIDER/NAME of a language model to try");
  line.add_setting(command, "model-url", "address of the model server, as in http://localhost:8000/v1");
}

} // namespace hone::cli
