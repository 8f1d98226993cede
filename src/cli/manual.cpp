#include "cli/command_line.h"
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::cli {

namespace {

// Text as roff takes it: no line begins a request, hyphens that are typed stay hyphens.
std::string roff(const std::string& text)
{
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    std::string safe = replace_all(replace_all(line, "\\", "\\e"), "-", "\\-");
    if (safe.starts_with('.') || safe.starts_with('\'')) {
      safe.insert(0, "\\&");
    }
    out += (out.empty() ? "" : "\n") + safe;
  }
  return out;
}

std::string paragraph(const std::string& what, const std::string& meaning)
{
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(what), roff(meaning));
}

std::string literal(const std::string& lines)
{
  return fmt::format(".PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", roff(lines));
}

std::string synopsis_of(const CLI::App& command)
{
  std::string text = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const std::string& name = option->get_single_name();
      text += option->get_required() ? " " + name : " [" + name + "]";
    }
  }
  return text;
}

std::string option_text(const CLI::Option& option)
{
  if (option.get_positional()) {
    return option.get_single_name();
  }
  std::string text = option.get_name(false, true);
  text = replace_all(text, ",", ", ");
  return option.get_items_expected_max() == 0 ? text : text + " VALUE";
}

// The footer of a command holds its examples under a heading of its own.
std::string examples_of(const CLI::App& command)
{
  const std::string footer = command.get_footer();
  const std::size_t at = footer.find("Examples:\n");
  std::vector<std::string> lines;
  for (const std::string& line : split(at == std::string::npos ? "" : footer.substr(at + 10), '\n')) {
    if (!trim(line).empty()) {
      lines.emplace_back(trim(line));
    }
  }
  return join(lines, "\n");
}

std::string command_text(const CLI::App& command)
{
  std::string text = fmt::format(".SS \"{}\"\n{}.\n", roff(synopsis_of(command)), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() != "--help" && option->get_name() != "--yes") {
      text += paragraph(option_text(*option), option->get_description());
    }
  }
  return text + literal(examples_of(command));
}

std::string upper(std::string name)
{
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return name;
}

std::string environment_text()
{
  std::string text;
  for (const Setting& setting : Settings::defaults().all()) {
    text += paragraph("HONE_" + upper(setting.name), setting.meaning);
  }
  text += paragraph("HONE_SHARE", "folder of transformations, kernels and recipes");
  text += paragraph("HONE_LIBEXEC", "folder of the runner programs");
  text += paragraph("XDG_CACHE_HOME", "where compiled references and measured ceilings are kept, in hone/");
  text += paragraph("BROWSER", "what `hone open` shows a report with");
  return text;
}

} // namespace

std::string manual_page(const CLI::App& app, const std::string& version)
{
  std::string text = fmt::format(".TH HONE 1 \"\" \"hone {}\" \"User Commands\"\n", version);
  text += ".SH NAME\nhone \\- make a correct compute kernel fast, with numbers that can be believed\n";
  text += ".SH SYNOPSIS\n\\fBhone\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fB\\-\\-json\\fR]\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(app.get_description()));
  text += roff("Results go to stdout, progress and messages to stderr. With --json every command prints one object.");
  text += "\n.SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    text += command_text(*command);
  }
  text += ".SH \"EXIT STATUS\"\n";
  for (const ExitMeaning& exit : k_exit_meanings) {
    text += paragraph(std::to_string(static_cast<int>(exit.status)), exit.meaning);
  }
  text += ".SH ENVIRONMENT\n" + environment_text();
  text += ".SH FILES\n" + paragraph("KERNEL/.hone", "the workflows of a kernel: checkpoints, journal, report");
  text += paragraph("hone.toml", "settings, from the kernel's folder upwards");
  text += paragraph("~/.config/hone/config.toml", "settings of a person");
  return text;
}

} // namespace hone::cli
