#include "lower/loop_program.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace hone::lower {

namespace {

constexpr std::size_t k_line_width = 100;

std::string indent(int depth)
{
  return std::string(static_cast<std::size_t>(depth) * 2, ' ');
}

std::string print_comment(const std::string& text, int depth)
{
  const std::string start = indent(depth) + "//";
  std::string out;
  std::string line = start;
  std::size_t position = 0;
  const auto end_line = [&] {
    out += line + "\n";
    line = start;
  };
  while (position < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", position), text.size());
    const std::string word = text.substr(position, end - position);
    if (line.size() + 1 + word.size() > k_line_width && line != start) {
      end_line();
    }
    line += " " + word;
    if (end < text.size() && text[end] == '\n') {
      end_line();
    }
    position = end + 1;
  }
  end_line();
  return out;
}

// Where to break `text` so that the first part has at most `room` characters: inside as few brackets as possible,
// behind a comma or before a choice's ?, as late as possible. Where there is no such place, the first one behind; 0:
// none.
std::size_t best_break(const std::string& text, std::size_t room)
{
  int depth = 0;
  int best_depth = 1000;
  std::size_t best = 0;
  for (std::size_t at = 0; at < text.size() && (at <= room || best == 0); ++at) {
    const char c = text[at];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    const bool choice = at + 1 < text.size() && text[at + 1] == '?';
    const bool here = c == ' ' && at > 0 && (text[at - 1] == ',' || choice);
    if (here && depth <= best_depth) {
      best_depth = depth;
      best = at;
    }
  }
  return best;
}

// Breaks a long statement, continuing four columns further in.
std::string print_line(const std::string& text, int depth)
{
  const std::string margin = indent(depth);
  if (text.starts_with("#")) {
    return text + "\n";
  }
  std::string out;
  std::string rest = text;
  std::string prefix = margin;
  while (prefix.size() + rest.size() > k_line_width) {
    const std::size_t room = k_line_width - prefix.size();
    const std::size_t cut = best_break(rest, room);
    if (cut == 0) {
      break;
    }
    out += prefix + rest.substr(0, cut) + "\n";
    rest = rest.substr(cut + 1);
    prefix = margin + "    ";
  }
  return out + prefix + rest + "\n";
}

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

ProgramNode statement(std::string text)
{
  return {ProgramNode::Kind::statement, std::move(text), {}};
}

ProgramNode comment(std::string text)
{
  return {ProgramNode::Kind::comment, std::move(text), {}};
}

ProgramNode blank_line()
{
  return {ProgramNode::Kind::blank, {}, {}};
}

ProgramNode pragma(std::string text)
{
  return {ProgramNode::Kind::pragma, std::move(text), {}};
}

ProgramNode loop(const std::string& type, const std::string& name, const std::string& begin, const std::string& end,
                 const std::string& step, ProgramBlock body)
{
  const std::string advance = step == "1" ? "++" + name : name + " += " + step;
  return braced("for (" + type + " " + name + " = " + begin + "; " + name + " < " + end + "; " + advance + ")",
                std::move(body));
}

ProgramNode guard(const std::string& condition, ProgramBlock body)
{
  return braced("if (" + condition + ")", std::move(body));
}

ProgramNode braced(std::string head, ProgramBlock body)
{
  return {ProgramNode::Kind::braced, std::move(head), std::move(body)};
}

ProgramNode function(std::string head, ProgramBlock body)
{
  return {ProgramNode::Kind::function, std::move(head), std::move(body)};
}

void append(ProgramBlock& block, ProgramBlock more)
{
  for (ProgramNode& node : more) {
    block.push_back(std::move(node));
  }
}

std::string print(const ProgramBlock& block, int depth)
{
  std::string out;
  for (const ProgramNode& node : block) {
    switch (node.kind) {
    case ProgramNode::Kind::statement:
      out += print_line(node.text, depth);
      break;
    case ProgramNode::Kind::comment:
      out += print_comment(node.text, depth);
      break;
    case ProgramNode::Kind::blank:
      out += "\n";
      break;
    case ProgramNode::Kind::pragma:
      out += indent(depth) + "#pragma " + node.text + "\n";
      break;
    case ProgramNode::Kind::braced:
      if (node.text.starts_with("else") && out.ends_with("}\n")) {
        out.pop_back(); // "} else {" on one line
        out += " " + node.text + " {\n" + print(node.body, depth + 1) + indent(depth) + "}\n";
        break;
      }
      out += indent(depth) + node.text + (node.text.empty() ? "{\n" : " {\n") + print(node.body, depth + 1)
             + indent(depth) + "}\n";
      break;
    case ProgramNode::Kind::function:
      out += print_line(node.text, depth) + "{\n" + print(node.body, depth + 1) + "}\n";
      break;
    }
  }
  return out;
}

bool mentions(std::string_view text, std::string_view name)
{
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    const bool ends = end == text.size() || !is_word(text[end]);
    if (starts && ends) {
      return true;
    }
  }
  return false;
}

std::string renamed(const std::string& text, const std::string& name, const std::string& other)
{
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole && at >= from) {
      out += text.substr(from, at - from) + other;
      from = end;
    }
  }
  return out + text.substr(from);
}

} // namespace hone::lower
