#include "lower/device/program.h"

#include <algorithm>

namespace hone::lower::device {

namespace {

bool names(const Value& value, const std::string& wanted)
{
  const bool here = (value->kind == ValueKind::name || value->kind == ValueKind::load
                     || value->kind == ValueKind::gather || value->kind == ValueKind::address)
                    && value->text == wanted;
  return here || std::ranges::any_of(value->args, [&](const Value& part) { return names(part, wanted); });
}

} // namespace

Node comment(std::string text)
{
  Node node;
  node.text = std::move(text);
  return node;
}

Node define(std::string name, Value value, bool constant)
{
  Node node;
  node.kind = Node::Kind::define;
  node.text = std::move(name);
  node.type = value->type;
  node.values = {std::move(value)};
  node.constant = constant;
  return node;
}

Node array(std::string name, Type type, std::vector<Value> extents)
{
  Node node;
  node.kind = Node::Kind::array;
  node.text = std::move(name);
  node.type = std::move(type);
  node.values = std::move(extents);
  return node;
}

Node assign(Value place, Value value)
{
  Node node;
  node.kind = Node::Kind::assign;
  node.values = {std::move(place), std::move(value)};
  return node;
}

Node store(std::string array, Scope scope, kernel::DataType stored, Value position, Value value)
{
  Node node;
  node.kind = Node::Kind::store;
  node.text = std::move(array);
  node.scope = scope;
  node.stored = stored;
  node.type = value->type;
  node.values = {std::move(position), std::move(value)};
  return node;
}

Node as_stored(std::string array, kernel::DataType stored, Value position, Value value)
{
  Node node = store(std::move(array), Scope::global, stored, std::move(position), std::move(value));
  node.copies = true;
  return node;
}

Node loop(std::string name, Value begin, Value end, Value step, Axis axis, Block body)
{
  Node node;
  node.kind = Node::Kind::loop;
  node.text = std::move(name);
  node.type = begin->type;
  node.values = {std::move(begin), std::move(end), std::move(step)};
  node.axis = axis;
  node.body = std::move(body);
  return node;
}

Node repeat_while(Value condition, Block body)
{
  Node node;
  node.kind = Node::Kind::repeat;
  node.values = {std::move(condition)};
  node.body = std::move(body);
  return node;
}

Node guard(Value condition, Block body, Block otherwise)
{
  Node node;
  node.kind = Node::Kind::guard;
  node.values = {std::move(condition)};
  node.body = std::move(body);
  node.otherwise = std::move(otherwise);
  return node;
}

Node call(std::string function, std::vector<Value> arguments)
{
  Node node;
  node.kind = Node::Kind::call;
  node.text = std::move(function);
  node.values = std::move(arguments);
  return node;
}

Node barrier()
{
  Node node;
  node.kind = Node::Kind::barrier;
  return node;
}

Node leave()
{
  Node node;
  node.kind = Node::Kind::leave;
  return node;
}

void append(Block& block, Block more)
{
  std::ranges::move(more, std::back_inserter(block));
}

bool mentions(const Block& block, const std::string& name)
{
  return std::ranges::any_of(block, [&](const Node& node) {
    const bool stored = node.kind == Node::Kind::store && node.text == name;
    return stored || std::ranges::any_of(node.values, [&](const Value& value) { return names(value, name); })
           || mentions(node.body, name) || mentions(node.otherwise, name);
  });
}

} // namespace hone::lower::device
