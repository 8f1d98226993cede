#include "import/launch_syntax.h"

#include "import/c_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace hone::import {

namespace {

struct Edit {
  std::size_t begin, end;
  std::string instead;
};

struct Launch {
  std::string kernel;                 // without the arguments of a template
  std::vector<std::string> arguments; // of the template
};

// Template parameters of a __global__ function: what each stands for comes from a launch.
struct DeviceTemplate {
  std::string kernel;
  std::vector<std::string> parameters;
  std::vector<std::string> defaults;
  std::size_t begin, behind; // bytes of "template <...>"
  std::size_t first, end;    // tokens of the function
};

class LaunchRewriter {
public:
  LaunchRewriter(const std::string& path, std::string_view text) : m_path(path), m_text(text), m_tokens(tokens_of(text))
  {
  }

  Result<std::string> run()
  {
    find_templates();
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
      if (m_tokens[i].text == "<<<") {
        HONE_CHECK(launch(i));
      } else if (m_tokens[i].text == "hipLaunchKernelGGL") {
        HONE_CHECK(call_of_hip(i));
      }
    }
    for (const DeviceTemplate& one : m_templates) {
      if (const auto used = m_launched.find(one.kernel); used != m_launched.end()) {
        HONE_CHECK(instantiate(one, used->second));
      }
    }
    return edited();
  }

private:
  std::string_view text_of(std::size_t first, std::size_t end) const // of tokens
  {
    return first < end ? m_text.substr(m_tokens[first].begin, m_tokens[end - 1].end - m_tokens[first].begin)
                       : std::string_view();
  }

  std::unexpected<Error> failure(std::size_t token, const std::string& message, const std::string& hint) const
  {
    return fail(message, hint, {m_path, line_at(m_text, m_tokens[token].begin), 0});
  }

  // Splits the tokens [first, end) at commas.
  std::vector<std::string> list(std::size_t first, std::size_t end) const
  {
    std::vector<std::string> out;
    int depth = 0;
    std::size_t begin = first;
    for (std::size_t i = first; i < end; ++i) {
      const std::string_view text = m_tokens[i].text;
      depth += text == "(" || text == "[" || text == "{" || text == "<" ? 1 : 0;
      depth -= text == ")" || text == "]" || text == "}" || text == ">" ? 1 : 0;
      if (text == "," && depth == 0) {
        out.emplace_back(text_of(begin, i));
        begin = i + 1;
      }
    }
    if (begin < end) {
      out.emplace_back(text_of(begin, end));
    }
    return out;
  }

  // "f<float, 16>" or "ns::f" that ends before a token: its first token, and what it launches.
  std::optional<std::pair<std::size_t, Launch>> kernel_before(std::size_t end) const
  {
    std::size_t at = end;
    Launch out;
    if (at > 0 && m_tokens[at - 1].text == ">") {
      int depth = 0;
      std::size_t open = at;
      while (open > 0) {
        --open;
        depth += m_tokens[open].text == ">" ? 1 : m_tokens[open].text == "<" ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
      out.arguments = list(open + 1, at - 1);
      at = open;
    }
    if (at == 0 || !m_tokens[at - 1].name) {
      return std::nullopt;
    }
    out.kernel = m_tokens[at - 1].text;
    --at;
    while (at >= 2 && m_tokens[at - 1].text == "::" && m_tokens[at - 2].name) {
      at -= 2;
    }
    return std::pair{at, out};
  }

  // Tokens [first, behind) become the launch; `behind` stands before the arguments' list.
  void replace(std::size_t first, std::size_t behind, std::string_view configuration, std::string_view kernel)
  {
    const std::string_view old = m_text.substr(m_tokens[first].begin, m_tokens[behind].begin - m_tokens[first].begin);
    std::string call = fmt::format("({}({}), {})", k_launch_function, configuration, kernel);
    for (auto lines = std::ranges::count(old, '\n') - std::ranges::count(call, '\n'); lines > 0; --lines) {
      call += '\n';
    }
    m_edits.push_back({m_tokens[first].begin, m_tokens[behind].begin, call});
  }

  Result<void> launch(std::size_t open)
  {
    const auto kernel = kernel_before(open);
    int depth = 0;
    std::size_t close = open + 1;
    while (close < m_tokens.size() && (depth > 0 || m_tokens[close].text != ">>>")) {
      depth += m_tokens[close].text == "(" || m_tokens[close].text == "{" ? 1 : 0;
      depth -= m_tokens[close].text == ")" || m_tokens[close].text == "}" ? 1 : 0;
      ++close;
    }
    if (!kernel || close + 1 >= m_tokens.size() || m_tokens[close + 1].text != "(") {
      return failure(open, "a launch is not complete", "write kernel<<<grid, block>>>(arguments)");
    }
    m_launched.try_emplace(kernel->second.kernel, kernel->second.arguments);
    const bool is_template =
      std::ranges::find(m_templates, kernel->second.kernel, &DeviceTemplate::kernel) != m_templates.end();
    std::size_t name_end = open;
    if (is_template && !kernel->second.arguments.empty()) { // the function has no parameters of a template any more
      name_end = kernel->first + 1;
      while (m_tokens[name_end].text == "::") {
        name_end += 2;
      }
    }
    replace(kernel->first, close + 1, text_of(open + 1, close), text_of(kernel->first, name_end));
    return {};
  }

  // hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments...)
  Result<void> call_of_hip(std::size_t at)
  {
    const std::size_t open = at + 1;
    if (open >= m_tokens.size() || m_tokens[open].text != "(") {
      return {};
    }
    const std::size_t behind = behind_closing(m_tokens, open);
    std::vector<std::string> all = list(open + 1, behind - 1);
    if (all.size() < 5) {
      return failure(at, "a launch is not complete",
                     "write hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments)");
    }
    std::string kernel = all[0];
    for (const std::string_view around : {"HIP_KERNEL_NAME", "("}) {
      if (kernel.starts_with(around)) {
        kernel = kernel.substr(kernel.find('(') + 1);
        kernel = kernel.substr(0, kernel.rfind(')'));
      }
    }
    kernel = trim(kernel);
    const std::size_t angle = kernel.find('<');
    const std::string name = kernel.substr(0, angle);
    const std::vector<CToken> tokens = tokens_of(kernel);
    std::vector<std::string> arguments;
    if (angle != std::string::npos) {
      arguments = split(kernel.substr(angle + 1, kernel.rfind('>') - angle - 1), ',');
      for (std::string& argument : arguments) {
        argument = trim(argument);
      }
    }
    m_launched.try_emplace(name, arguments);
    const bool is_template = std::ranges::find(m_templates, name, &DeviceTemplate::kernel) != m_templates.end();
    const std::string configuration = join({all.begin() + 1, all.begin() + 5}, ", ");
    const std::string call = fmt::format("({}({}), {})({}", k_launch_function, configuration,
                                         is_template ? name : kernel, join({all.begin() + 5, all.end()}, ", "));
    const std::string_view old = m_text.substr(m_tokens[at].begin, m_tokens[behind - 1].begin - m_tokens[at].begin);
    const auto lines = std::ranges::count(old, '\n') - std::ranges::count(call, '\n');
    m_edits.push_back({m_tokens[at].begin, m_tokens[behind - 1].begin,
                       call + std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines, 0)), '\n')});
    return {};
  }

  // template <typename T, int N> __global__ void f(...) {...}
  void find_templates()
  {
    for (std::size_t i = 0; i + 1 < m_tokens.size(); ++i) {
      if (m_tokens[i].text != "template" || m_tokens[i + 1].text != "<") {
        continue;
      }
      std::size_t close = i + 2;
      for (int depth = 1; close < m_tokens.size(); ++close) {
        depth += m_tokens[close].text == "<" ? 1 : m_tokens[close].text == ">" ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
      DeviceTemplate one;
      one.begin = m_tokens[i].begin;
      one.first = close + 1;
      bool global = false;
      std::size_t at = one.first;
      while (at < m_tokens.size() && m_tokens[at].text != "{" && m_tokens[at].text != ";") {
        global = global || m_tokens[at].text == "__global__";
        const bool parenthesis = at + 1 < m_tokens.size() && m_tokens[at + 1].text == "(";
        if (parenthesis && m_tokens[at].name && m_tokens[at].text != "__launch_bounds__") {
          one.kernel = m_tokens[at].text;
          at = behind_closing(m_tokens, at + 1);
          break;
        }
        at = parenthesis ? behind_closing(m_tokens, at + 1) : at + 1;
      }
      if (!global || at >= m_tokens.size() || m_tokens[at].text != "{") {
        continue;
      }
      one.behind = m_tokens[close].end;
      one.end = behind_closing(m_tokens, at);
      for (const std::string& parameter : list(i + 2, close)) {
        const std::size_t equals = parameter.find('=');
        const std::string declared(trim(parameter.substr(0, equals)));
        const std::vector<CToken> words = tokens_of(declared);
        one.parameters.emplace_back(words.empty() ? "" : words.back().text);
        one.defaults.emplace_back(equals == std::string::npos ? "" : trim(parameter.substr(equals + 1)));
      }
      m_templates.push_back(one);
    }
  }

  Result<void> instantiate(const DeviceTemplate& one, const std::vector<std::string>& arguments)
  {
    std::map<std::string_view, std::string> values;
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
      const std::string value = i < arguments.size() ? arguments[i] : one.defaults[i];
      if (value.empty()) {
        return failure(
          one.first,
          fmt::format("what '{}' of the template '{}' stands for is not written at its launch", one.parameters[i],
                      one.kernel),
          fmt::format("write {}<float><<<grid, block>>>(arguments), with the arguments that you use", one.kernel));
      }
      values[one.parameters[i]] = value;
    }
    const std::string_view old = m_text.substr(one.begin, one.behind - one.begin);
    m_edits.push_back(
      {one.begin, one.behind, std::string(static_cast<std::size_t>(std::ranges::count(old, '\n')), '\n')});
    for (std::size_t i = one.first; i < one.end; ++i) {
      if (const auto value = values.find(m_tokens[i].text); m_tokens[i].name && value != values.end()) {
        m_edits.push_back({m_tokens[i].begin, m_tokens[i].end, value->second});
      }
    }
    return {};
  }

  std::string edited()
  {
    std::ranges::sort(m_edits, {}, &Edit::begin);
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : m_edits) {
      if (edit.begin >= at) {
        out += std::string(m_text.substr(at, edit.begin - at)) + edit.instead;
        at = edit.end;
      }
    }
    return out + std::string(m_text.substr(at));
  }

  const std::string& m_path;
  std::string_view m_text;
  std::vector<CToken> m_tokens;
  std::vector<DeviceTemplate> m_templates;
  std::map<std::string, std::vector<std::string>> m_launched; // template arguments of the first launch, by kernel
  std::vector<Edit> m_edits;
};

} // namespace

Result<std::string> with_launches_as_calls(const std::string& path, std::string_view text)
{
  return LaunchRewriter(path, text).run();
}

} // namespace hone::import
