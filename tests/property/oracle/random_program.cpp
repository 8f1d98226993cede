#include "random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone::oracle {

// Programs as text.

std::string name_of(const Drawn& program, int number)
{
  constexpr const char* k_names[] = {"%p", "%h", "%r", "%d"};
  return k_names[static_cast<int>(program.registers[number].held)] + std::to_string(number);
}

namespace {

std::string literal_of(const Input& input, std::uint64_t value)
{
  const bool is_float = input.literal_prefix != 'x';
  return is_float ? fmt::format("0{}{:0{}x}", input.literal_prefix, value, input.literal_prefix == 'd' ? 16 : 8)
                  : fmt::format("0x{:x}", value);
}

std::string operand_text(const Drawn& program, const Step& step, std::size_t index)
{
  if (index < step.outputs.size()) {
    return name_of(program, step.outputs[index]);
  }
  const std::size_t input = index - step.outputs.size();
  const Operand& operand = step.inputs[input];
  return operand.number < 0 ? literal_of(step.operation->inputs[input], operand.literal)
                            : name_of(program, operand.number);
}

} // namespace

std::string text_of(const Drawn& program, const Step& step)
{
  std::string out;
  const std::string& text = step.operation->text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      out += text[at];
      continue;
    }
    std::size_t index = 0;
    for (; at + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0; ++at) {
      index = 10 * index + (text[at + 1] - '0');
    }
    out += operand_text(program, step, index);
  }
  return out;
}

std::string text_of(const Drawn& program)
{
  const std::size_t slice = 8 * program.registers.size();
  std::string declared, loads, stores;
  for (std::size_t i = 0; i < program.registers.size(); ++i) {
    constexpr const char* k_types[] = {"pred", "b16", "b32", "b64"};
    const RegisterClass held = program.registers[i].held;
    const std::string name = name_of(program, static_cast<int>(i)), type = k_types[static_cast<int>(held)];
    declared += fmt::format(".reg .{} {};\n", type, name);
    if (held == RegisterClass::predicate) {
      loads += fmt::format("ld.global.b32 %word, [%from+{}];\nsetp.ne.u32 {}, %word, 0;\n", 8 * i, name);
      stores += fmt::format("selp.u32 %word, 1, 0, {};\nst.global.b32 [%to+{}], %word;\n", name, 8 * i);
    } else {
      loads += fmt::format("ld.global.{} {}, [%from+{}];\n", type, name, 8 * i);
      stores += fmt::format("st.global.{} [%to+{}], {};\n", type, 8 * i, name);
    }
  }
  std::string body;
  std::map<std::size_t, std::string> labels; // before the step of that number
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    body += labels.contains(i) ? labels[i] + ":\n" : "";
    const std::string guard =
      step.guard < 0 ? "" : fmt::format("@{}{} ", step.negated ? "!" : "", name_of(program, step.guard));
    if (step.skipped == 0) {
      body += guard + text_of(program, step) + "\n";
      continue;
    }
    const std::size_t target = i + 1 + step.skipped;
    labels[target] = fmt::format("L{}", target);
    body += fmt::format("{}bra {};\n", guard, labels[target]);
  }
  body += labels.contains(program.steps.size()) ? labels[program.steps.size()] + ":\n" : "";
  return ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry f(.param .u64 f_0, .param .u64 f_1)\n{\n"
         ".reg .b32 %thread, %word;\n.reg .b64 %from, %to;\n"
         + declared + "mov.u32 %thread, %tid.x;\nld.param.u64 %from, [f_0];\nld.param.u64 %to, [f_1];\n"
         + fmt::format("mad.wide.u32 %from, %thread, {}, %from;\nmad.wide.u32 %to, %thread, {}, %to;\n", slice, slice)
         + loads + body + stores + "ret;\n}\n";
}

// What the oracle says.

namespace {

Values start_of(const Drawn& program)
{
  Values out;
  for (const Register& one : program.registers) {
    out.push_back(one.values);
  }
  return out;
}

bool active(const Step& step, const Values& values, int thread)
{
  return step.guard < 0 || (values[step.guard][thread] != 0) != step.negated;
}

std::vector<std::uint64_t> inputs_of(const Step& step, const Values& values, int thread)
{
  std::vector<std::uint64_t> out;
  for (const Operand& operand : step.inputs) {
    out.push_back(operand.number < 0 ? operand.literal : values[operand.number][thread]);
  }
  return out;
}

void execute(const Drawn& program, const Step& step, Values& values, const std::vector<bool>& jumped_over)
{
  const Operation& operation = *step.operation;
  const auto store = [&](std::size_t output, int thread, std::uint64_t value) {
    const int number = step.outputs[output];
    values[number][thread] = value & mask_of(bits_of(program.registers[number].held));
  };
  if (operation.lane) {
    for (int thread = 0; thread < program.threads; ++thread) {
      if (jumped_over[thread] || !active(step, values, thread)) {
        continue;
      }
      const std::vector<std::uint64_t> in = inputs_of(step, values, thread);
      std::vector<std::uint64_t> out(step.outputs.size());
      operation.lane(in.data(), out.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        store(i, thread, out[i]);
      }
    }
    return;
  }
  for (int first = 0; first < program.threads; first += k_lanes) {
    std::vector<Lanes> in(step.inputs.size()), out(step.outputs.size());
    for (int lane = 0; lane < k_lanes; ++lane) {
      const std::vector<std::uint64_t> values_of_lane = inputs_of(step, values, first + lane);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i][lane] = values_of_lane[i];
      }
    }
    operation.warp(in, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (int lane = 0; lane < k_lanes; ++lane) {
        store(i, first + lane, out[i][lane]);
      }
    }
  }
}

} // namespace

Values expected(const Drawn& program, std::size_t steps)
{
  Values values = start_of(program);
  std::vector<bool> jumped_over(program.threads);
  std::size_t joined = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = program.steps[i];
    if (i == joined) {
      jumped_over.assign(program.threads, false);
    }
    if (step.skipped == 0) {
      execute(program, step, values, jumped_over);
      continue;
    }
    joined = i + 1 + step.skipped;
    for (int thread = 0; thread < program.threads; ++thread) {
      jumped_over[thread] = active(step, values, thread);
    }
  }
  return values;
}

Drawn only(const Drawn& program, std::size_t step)
{
  const Values before = expected(program, step);
  Drawn out = program;
  out.steps = {program.steps[step]};
  std::map<int, int> numbers; // of registers: new by old
  out.registers.clear();
  const auto keep = [&](int& number) {
    if (number >= 0 && !numbers.contains(number)) {
      numbers[number] = static_cast<int>(out.registers.size());
      out.registers.push_back(program.registers[number]);
      out.registers.back().values = before[number];
    }
    number = number < 0 ? number : numbers[number];
  };
  for (int& number : out.steps[0].outputs) {
    keep(number);
  }
  for (Operand& operand : out.steps[0].inputs) {
    keep(operand.number);
  }
  keep(out.steps[0].guard);
  return out;
}

Drawn without(const Drawn& program, const std::set<std::string>& names)
{
  const auto stays = [&](const Step& step) { return !names.contains(step.operation->name); };
  Drawn out = program;
  out.steps.clear();
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    const auto next = program.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (step.skipped == 0 ? stays(step) : std::all_of(next, next + step.skipped, stays)) {
      out.steps.push_back(step);
    }
  }
  return out;
}

// Drawing.

Drawer::Drawer(const Operations& operations, std::uint64_t seed) : m_operations(operations), m_random(seed)
{
  // Few instructions are for whole warps, and each of them does more.
  constexpr int k_turns_of_warps = 4;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const bool is_plain = operations[i].lane && !operations[i].several;
    m_order.insert(m_order.end(), is_plain ? 1 : k_turns_of_warps, i);
  }
}

Drawn Drawer::program()
{
  m_program = {};
  m_program.threads = m_random.below(2) == 0 ? 32 : 64;
  const std::size_t steps = 8 + m_random.below(33);
  while (m_program.steps.size() < steps) {
    add_step(next());
  }
  add_jumps();
  return m_program;
}

Drawn Drawer::program_of(const Operation& operation)
{
  m_program = {};
  add_step(operation);
  m_program.steps.back().guard = -1;
  return m_program;
}

const Operation& Drawer::next()
{
  if (m_next == 0) {
    std::shuffle(m_order.begin(), m_order.end(), m_random);
  }
  const std::size_t at = m_order[m_next];
  m_next = (m_next + 1) % m_order.size();
  return m_operations[at];
}

int Drawer::new_register(RegisterClass held, const Draw& draw)
{
  Register out;
  out.held = held;
  for (std::uint64_t& value : out.values) {
    value = draw(m_random) & mask_of(bits_of(held));
  }
  m_program.registers.push_back(out);
  return static_cast<int>(m_program.registers.size()) - 1;
}

int Drawer::known_register(RegisterClass held)
{
  std::vector<int> all;
  for (std::size_t i = 0; i < m_program.registers.size(); ++i) {
    if (m_program.registers[i].held == held && m_program.registers[i].shared) {
      all.push_back(static_cast<int>(i));
    }
  }
  return all.empty() ? -1 : all[m_random.below(all.size())];
}

int Drawer::predicate()
{
  const int known = known_register(RegisterClass::predicate);
  if (known >= 0 && !one_in(3)) {
    return known;
  }
  const int out = new_register(RegisterClass::predicate, any_predicate());
  m_program.registers[out].shared = true;
  return out;
}

Operand Drawer::input(const Input& input, bool all_drawn)
{
  using Literal = Input::Literal;
  if (input.literal == Literal::always || (input.literal == Literal::sometimes && !all_drawn && one_in(8))) {
    return {-1, input.draw(m_random) & mask_of(bits_of(input.held))};
  }
  const bool only_drawn = input.only_drawn || all_drawn;
  const int known = only_drawn || one_in(2) ? -1 : known_register(input.held);
  if (known >= 0) {
    return {known, 0};
  }
  const int out = new_register(input.held, input.draw);
  m_program.registers[out].shared = !only_drawn;
  return {out, 0};
}

int Drawer::output(const Output& output, const Step& step)
{
  const auto may_be = [&](int number) {
    const Register& one = m_program.registers[number];
    return one.held == output.held && std::ranges::count(step.outputs, number) == 0
           && (output.slack.none() || !one.shared);
  };
  if (!step.operation->several && one_in(3)) {
    for (const Operand& operand : step.inputs) {
      if (operand.number >= 0 && may_be(operand.number)) {
        return operand.number;
      }
    }
  }
  const int known = known_register(output.held);
  if (!step.operation->several && known >= 0 && may_be(known) && one_in(6)) {
    return known;
  }
  const int out = new_register(output.held, any_integer(64));
  m_program.registers[out].shared = output.slack.none();
  return out;
}

void Drawer::add_step(const Operation& operation)
{
  Step step;
  step.operation = &operation;
  const bool tuned = operation.tune && one_in(2);
  for (const Input& one : operation.inputs) {
    step.inputs.push_back(input(one, tuned));
  }
  for (int thread = 0; tuned && thread < k_most_threads; ++thread) {
    std::vector<std::uint64_t> values;
    for (const Operand& operand : step.inputs) {
      values.push_back(m_program.registers[operand.number].values[thread]);
    }
    operation.tune(m_random, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      m_program.registers[step.inputs[i].number].values[thread] = values[i];
    }
  }
  if (operation.lane && !operation.several && one_in(7)) {
    step.guard = predicate();
    step.negated = one_in(2);
  }
  for (const Output& one : operation.outputs) {
    const int number = output(one, step);
    step.outputs.push_back(number);
    m_program.registers[number].slack = one.slack;
  }
  m_program.steps.push_back(step);
}

void Drawer::add_jumps()
{
  for (std::size_t at = 0; at < m_program.steps.size(); ++at) {
    if (!one_in(8)) {
      continue;
    }
    const std::size_t most = 1 + m_random.below(4);
    std::size_t end = at;
    while (end < m_program.steps.size() && end - at < most && m_program.steps[end].operation->lane) {
      ++end;
    }
    if (end == at) {
      continue;
    }
    Step jump;
    jump.guard = predicate();
    jump.negated = one_in(2);
    jump.skipped = static_cast<int>(end - at);
    m_program.steps.insert(m_program.steps.begin() + static_cast<std::ptrdiff_t>(at), jump);
    at = end + 1;
  }
}

} // namespace hone::oracle
