#include "import/device_candidate.h"

#include "import/c_tokens.h"
#include "import/source_cuts.h"
#include "import/start_candidate.h"
#include "util/fs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace hone::import {

namespace {

// Pieces of a file that share bytes ("typedef struct {...} pair;") as one, with all their names and the semicolon.
struct Chunk {
  std::set<std::string, std::less<>> names;
  std::size_t begin = 0, end = 0;
};

std::vector<Chunk> chunks_of(const CFile& file)
{
  std::vector<Chunk> out;
  std::vector<CPiece> pieces = file.pieces;
  std::ranges::stable_sort(pieces, {}, &CPiece::begin);
  for (const CPiece& piece : pieces) {
    std::size_t end = piece.end;
    const std::size_t next = file.text.find_first_not_of(" \t\n", end);
    end = next != std::string::npos && file.text[next] == ';' ? next + 1 : end;
    if (out.empty() || piece.begin >= out.back().end) {
      out.push_back({{}, piece.begin, end});
    }
    out.back().end = std::max(out.back().end, end);
    if (!piece.name.empty()) {
      out.back().names.insert(piece.name);
    }
  }
  return out;
}

void add_words(std::string_view text, std::set<std::string, std::less<>>& words)
{
  for (const CToken& token : tokens_of(text)) {
    if (token.name) {
      words.emplace(token.text);
    }
  }
}

// Lines of the preprocessor, continued lines as one.
std::vector<Chunk> directives_of(const std::string& text)
{
  std::vector<Chunk> out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t", begin);
    if (first < end && text[first] == '#') {
      while (end < text.size() && text[end - 1] == '\\') {
        end = std::min(text.find('\n', end + 1), text.size());
      }
      out.push_back({{}, begin, end});
    }
    begin = end + 1;
  }
  return out;
}

// What the kernel needs of the file: pieces whose names stand in it, and in what it needs.
std::string needed_text(const CFile& file, const CFunction& kernel)
{
  const std::vector<Chunk> chunks = chunks_of(file);
  const std::vector<Chunk> directives = directives_of(file.text);
  const auto text_of = [&](const Chunk& one) {
    return std::string_view(file.text).substr(one.begin, one.end - one.begin);
  };
  std::set<std::string, std::less<>> words{kernel.name};
  std::vector<bool> kept(chunks.size());
  for (std::size_t before = 0; before != words.size();) {
    before = words.size();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (std::ranges::any_of(chunks[i].names, [&](const std::string& name) { return words.contains(name); })) {
        kept[i] = true;
        add_words(text_of(chunks[i]), words);
      }
    }
    for (const Chunk& one : directives) { // #define NAME ...
      const std::vector<CToken> tokens = tokens_of(text_of(one));
      if (tokens.size() > 2 && tokens[1].text == "define" && words.contains(tokens[2].text)) {
        add_words(text_of(one), words);
      }
    }
  }
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!kept[i]) {
      cuts.push_back({chunks[i].begin, chunks[i].end, ""});
    }
  }
  for (const Chunk& one : directives) {
    const std::vector<CToken> tokens = tokens_of(text_of(one));
    const bool define = tokens.size() > 2 && tokens[1].text == "define";
    const bool other = tokens.size() > 1 && (tokens[1].text == "include" || tokens[1].text == "pragma");
    const bool unroll = tokens.size() > 2 && tokens[2].text == "unroll";
    if ((define && !words.contains(tokens[2].text)) || (other && !unroll)) {
      cuts.push_back({one.begin, one.end, ""});
    }
  }
  return with_cuts(file.text, std::move(cuts));
}

// A kernel of the user's is called by one with Hone's arguments, so it becomes a function of the device.
// `bounds` gets its __launch_bounds__, which only the caller may have.
std::string callable(const std::string& text, std::string& bounds)
{
  const std::vector<CToken> tokens = tokens_of(text);
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "__global__") {
      cuts.push_back({tokens[i].begin, tokens[i].end, "__device__"});
    } else if (tokens[i].text == "__launch_bounds__" && i + 1 < tokens.size()) {
      const std::size_t behind = behind_closing(tokens, i + 1);
      const std::size_t end = tokens[behind - 1].end;
      bounds = text.substr(tokens[i].begin, end - tokens[i].begin) + " ";
      cuts.push_back({tokens[i].begin, end + (end < text.size() && text[end] == ' ' ? 1 : 0), ""});
    }
  }
  return with_cuts(text, std::move(cuts));
}

int precedence_of(const std::string& op)
{
  if (op == "*" || op == "/" || op == "%") {
    return 6;
  }
  if (op == "+" || op == "-") {
    return 5;
  }
  return op == "==" || op == "!=" ? 3 : op == "&&" ? 2 : op == "||" ? 1 : 4;
}

// An extent of the launch as launch.toml writes it.
class PlanText {
public:
  // `tuned`: tuning parameters, by the names of the host that they stand for.
  PlanText(const KernelNames& names, const std::map<std::string, kernel::ExprPtr>& assumed,
           const std::map<std::string, std::string>& tuned)
    : m_names(names), m_assumed(assumed), m_tuned(tuned)
  {
  }

  Result<std::string> of(const CNode& node, int around = 0) const
  {
    switch (node.kind) {
    case CKind::number:
      return fmt::format("{}", static_cast<std::int64_t>(node.number));
    case CKind::cast:
      return of(*node.children[0], around);
    case CKind::name: {
      const auto value = m_assumed.find(node.text);
      if (value != m_assumed.end()) {
        return "(" + kernel::to_text(*value->second) + ")";
      }
      if (m_names.is_size(node.text)) {
        return node.text;
      }
      if (const auto tuned = m_tuned.find(node.text); tuned != m_tuned.end()) {
        return tuned->second;
      }
      return fail(
        fmt::format("how many threads are launched depends on '{}', and that is no size of the kernel", node.text),
        "let the launch count with extents of the arguments", node.place);
    }
    case CKind::call: {
      HONE_TRY(const std::string left, of(*node.children[0]));
      HONE_TRY(const std::string right, of(*node.children[1]));
      return fmt::format("{}({}, {})", node.text, left, right);
    }
    case CKind::conditional: {
      HONE_TRY(const std::string condition, of(*node.children[0], 1));
      HONE_TRY(const std::string then, of(*node.children[1], 1));
      HONE_TRY(const std::string otherwise, of(*node.children[2], 1));
      return fmt::format("({} ? {} : {})", condition, then, otherwise);
    }
    default: {
      const int own = precedence_of(node.text);
      HONE_TRY(const std::string left, of(*node.children[0], own));
      HONE_TRY(const std::string right, of(*node.children[1], own + 1));
      const std::string out = fmt::format("{} {} {}", left, node.text, right);
      return own < around ? "(" + out + ")" : out;
    }
    }
  }

  // [256] or ["ceil_div(n, 16)", 16], without the ones at the end.
  Result<std::string> list(const std::array<CNodePtr, 3>& extents) const
  {
    std::size_t count = extents.size();
    while (count > 1 && is_integer_node(*extents[count - 1], 1)) {
      --count;
    }
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      HONE_TRY(const std::string text, of(*extents[i]));
      out += (i == 0 ? "" : ", ") + (extents[i]->kind == CKind::number ? text : "\"" + text + "\"");
    }
    return "[" + out + "]";
  }

private:
  const KernelNames& m_names;
  const std::map<std::string, kernel::ExprPtr>& m_assumed;
  const std::map<std::string, std::string>& m_tuned;
};

// What the host knows and the kernel is not told, such as a block's size, is tuned. Tuning parameters are macros, so
// their names must not stand in the code.
class Tuning {
public:
  Tuning(const KernelLaunch& launch, const KernelNames& names, const std::string& code)
  {
    add_words(code, m_words);
    for (const CParameter& parameter : launch.further) {
      if (!names.is_size(parameter.name)) {
        add(parameter.name, "values = [64, 128, 256, 512, 1024], default = 256");
      }
    }
    for (const std::string& units : launch.units) { // few: idle blocks take their time where a device is emulated
      add(units, "values = [4, 16, 64, 128, 256], default = 4");
    }
  }

  const std::map<std::string, std::string>& names() const { return m_names; }
  std::string toml() const { return m_toml.empty() ? "" : "[tuning]\n" + m_toml + "\n"; }

private:
  void add(const std::string& own, const std::string& values)
  {
    std::string name;
    for (const char letter : own) {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    while (m_words.contains(name)) {
      name = "LAUNCH_" + name;
    }
    m_names[own] = name;
    m_toml += fmt::format("{} = {{ {} }}\n", name, values);
  }

  std::set<std::string, std::less<>> m_words;
  std::map<std::string, std::string> m_names; // by the host's names
  std::string m_toml;
};

// The element's type as the device's compiler calls it.
std::string element_on_device(const CParameter& parameter, const std::string& language)
{
  if (parameter.type.data == kernel::DataType::f16) {
    return "__half";
  }
  if (parameter.type.data == kernel::DataType::bf16) {
    return language == "hip" ? "__hip_bfloat16" : "__nv_bfloat16";
  }
  return parameter.type.data ? parameter.type.element : "long long";
}

// Arguments that blocks update by atomic operations.
std::vector<std::string> updated_together(const CFunction& kernel, const KernelNames& names)
{
  std::vector<std::string> out;
  visit_nodes(*kernel.body, [&](const CNode& node) {
    if (node.kind != CKind::call || !node.text.starts_with("atomic") || node.children.empty()) {
      return;
    }
    visit_nodes(*node.children[0], [&](const CNode& one) {
      const auto parameter = std::ranges::find(kernel.parameters, one.declaration, &CParameter::declaration);
      const bool array = one.kind == CKind::name && parameter != kernel.parameters.end()
                         && !parameter->type.extents.empty() && names.is_argument(parameter->name);
      if (array && std::ranges::find(out, parameter->name) == out.end() && !parameter->type.constant) {
        out.push_back(parameter->name);
      }
    });
  });
  return out;
}

} // namespace

Result<std::map<std::string, std::string>> device_candidate_files(const CFile& file, const CFunction& kernel,
                                                                  const KernelLaunch& launch, const KernelNames& names,
                                                                  const Semantics& semantics,
                                                                  const std::map<std::string, kernel::ExprPtr>& assumed,
                                                                  const std::string& kernel_name)
{
  std::string bounds;
  const std::string own = tidied(callable(needed_text(file, kernel), bounds));
  const Tuning tuning(launch, names, own);
  const PlanText plan(names, assumed, tuning.names());
  HONE_TRY(const std::string grid, plan.list(launch.grid));
  HONE_TRY(const std::string block, plan.list(launch.block));
  std::string shared;
  if (launch.shared) {
    HONE_TRY(shared, plan.of(*launch.shared));
  }
  std::map<std::string, std::string> parameters;
  std::string arguments;
  for (const CParameter& parameter : kernel.parameters) {
    CParameter here = parameter;
    here.type.element = element_on_device(parameter, file.device_language);
    if (names.is_argument(parameter.name)) {
      parameters[parameter.name] = fmt::format("{}{}* {}", semantics.written.contains(parameter.name) ? "" : "const ",
                                               here.type.element, parameter.name);
    } else if (is_integer(parameter)) {
      here.type.element = parameter.type.element;
    }
    arguments += (arguments.empty() ? "" : ", ") + passed(here, names, assumed);
  }
  std::string declared;
  for (const std::string& argument : names.arguments) {
    declared += (declared.empty() ? "" : ", ") + parameters[argument];
  }
  for (const std::string& size : names.sizes) {
    declared += (declared.empty() ? "" : ", ") + ("long long " + size);
  }
  const std::string entry = kernel.name + "_kernel";
  const std::string device =
    fmt::format("// {}: {}() as it stands in {}\n#include \"macros.h\"\n\n{}\n"
                "// Hone's arguments in, the user's out.\nextern \"C\" __global__ void {}{}({})\n{{\n  {}({});\n}}\n",
                kernel_name, kernel.name, fs::path(file.path).filename().string(), own, bounds, entry, declared,
                kernel.name, arguments);
  std::string toml = tuning.toml();
  toml += fmt::format("[[launch]]\nkernel = \"{}\"\ngrid = {}\nblock = {}\n", entry, grid, block);
  toml += shared.empty() ? "" : fmt::format("shared = \"{}\"\n", shared);
  toml += fmt::format("args = [{}]\n", quoted_list(names.arguments, names.sizes));
  if (const std::vector<std::string> shared_by_groups = updated_together(kernel, names); !shared_by_groups.empty()) {
    toml += fmt::format("reduce = [{}]\n", quoted_list(shared_by_groups, {}));
  }
  return std::map<std::string, std::string>{
    {file.device_language == "hip" ? "device.hip" : "device.cu", device},
    {"macros.h", fmt::format("// {}: names that the device code uses.\n#pragma once\n", kernel_name)},
    {"launch.toml", toml}};
}

} // namespace hone::import
