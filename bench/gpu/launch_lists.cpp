#include "launch_lists.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

namespace hone::gpu_bench {

namespace {

bool read_argument(std::istream& in, Argument& out)
{
  std::string kind;
  in >> kind;
  out.kind = kind == "tensor"    ? ArgumentKind::tensor
             : kind == "scratch" ? ArgumentKind::scratch
             : kind == "map"     ? ArgumentKind::map
                                 : ArgumentKind::integer;
  if (out.kind == ArgumentKind::integer) {
    return kind == "integer" && (in >> out.integer);
  }
  return static_cast<bool>(in >> out.position);
}

bool read_type(std::istream& in, Type& out)
{
  std::string name;
  in >> name;
  out = name == "f16" ? Type::f16 : name == "bf16" ? Type::bf16 : name == "f64" ? Type::f64 : Type::f32;
  return name == name_of(out);
}

std::string rest_of(std::istream& in)
{
  std::string out;
  in >> std::ws;
  std::getline(in, out);
  return out;
}

bool read_map(std::istream& in, MapOf& map)
{
  std::size_t rank = 0;
  if (!read_argument(in, map.tensor) || !(in >> map.type >> map.element_bytes >> map.swizzle >> rank) || rank < 1
      || rank > 5) {
    return false;
  }
  map.sizes.resize(rank);
  map.box.resize(rank);
  for (std::uint64_t& size : map.sizes) {
    in >> size;
  }
  for (unsigned& size : map.box) {
    in >> size;
  }
  return static_cast<bool>(in);
}

// One line of a case; false: not understood.
bool read_line(const std::string& line, Case& one, std::vector<FillOf>& fills)
{
  std::istringstream in(line);
  std::string word;
  in >> word;
  if (word == "case") {
    return static_cast<bool>(in >> one.purpose >> one.kernel >> one.name);
  }
  if (word == "steps" || word == "point") {
    (word == "steps" ? one.steps : one.point) = rest_of(in);
    return true;
  }
  if (word == "module") {
    return static_cast<bool>(in >> one.module);
  }
  if (word == "resources") {
    int shared = 0;
    return static_cast<bool>(in >> one.registers >> one.spilled_bytes >> shared);
  }
  if (word == "product") {
    one.is_product = true;
    return static_cast<bool>(in >> one.m >> one.n >> one.k >> one.a_transposed >> one.b_transposed);
  }
  if (word == "expect") {
    return static_cast<bool>(in >> one.expect >> one.sizes);
  }
  if (word == "tensor") {
    Tensor& tensor = one.tensors.emplace_back();
    std::string role;
    const bool read = read_type(in, tensor.type) && (in >> tensor.count >> role);
    tensor.written = role == "output";
    return read;
  }
  if (word == "scratch") {
    return static_cast<bool>(in >> one.scratch.emplace_back());
  }
  if (word == "map") {
    return read_map(in, one.maps.emplace_back());
  }
  if (word == "fill") {
    FillOf& fill = fills.emplace_back();
    return read_argument(in, fill.buffer) && (in >> fill.element_bytes >> fill.pattern);
  }
  if (word == "launch") {
    Launch& launch = one.launches.emplace_back();
    launch.fills = std::move(fills);
    fills.clear();
    in >> launch.function;
    for (unsigned& size : launch.grid) {
      in >> size;
    }
    for (unsigned& size : launch.block) {
      in >> size;
    }
    return static_cast<bool>(in >> launch.shared_bytes);
  }
  if (word == "argument" && !one.launches.empty()) {
    return read_argument(in, one.launches.back().arguments.emplace_back());
  }
  return false;
}

bool is_sound(const Case& one)
{
  const auto sound = [&](const Argument& argument) {
    return argument.kind == ArgumentKind::tensor    ? argument.position < one.tensors.size()
           : argument.kind == ArgumentKind::scratch ? argument.position < one.scratch.size()
           : argument.kind == ArgumentKind::map     ? argument.position < one.maps.size()
                                                    : true;
  };
  for (const Launch& launch : one.launches) {
    for (const Argument& argument : launch.arguments) {
      if (!sound(argument)) {
        return false;
      }
    }
    for (const FillOf& fill : launch.fills) {
      if (!sound(fill.buffer)) {
        return false;
      }
    }
  }
  for (const MapOf& map : one.maps) {
    if (!sound(map.tensor)) {
      return false;
    }
  }
  return !one.launches.empty() && (!one.is_product || one.tensors.size() == 3);
}

} // namespace

std::size_t size_of(Type type)
{
  return type == Type::f64 ? 8 : type == Type::f32 ? 4 : 2;
}

const char* name_of(Type type)
{
  return type == Type::f16 ? "f16" : type == Type::bf16 ? "bf16" : type == Type::f64 ? "f64" : "f32";
}

double roundoff(Type type)
{
  return type == Type::f16 ? 0x1p-11 : type == Type::bf16 ? 0x1p-8 : type == Type::f64 ? 0x1p-53 : 0x1p-24;
}

double value_at(const std::byte* at, Type type)
{
  if (type == Type::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (type == Type::f16) {
    _Float16 value = 0;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, size_of(type));
  return std::bit_cast<float>(type == Type::bf16 ? bits << 16 : bits);
}

void set_value(std::byte* at, Type type, double value)
{
  if (type == Type::f64) {
    std::memcpy(at, &value, sizeof value);
  } else if (type == Type::f16) {
    const auto half = static_cast<_Float16>(static_cast<float>(value));
    std::memcpy(at, &half, sizeof half);
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const auto upper = static_cast<std::uint16_t>(bits >> 16);
    std::memcpy(at, type == Type::bf16 ? static_cast<const void*>(&upper) : &bits, size_of(type));
  }
}

std::string Case::candidate() const
{
  const std::size_t at = name.rfind(".p");
  return at != std::string::npos && name.find_first_not_of("0123456789", at + 2) == std::string::npos
           ? name.substr(0, at)
           : name;
}

std::string Case::sizes_text() const
{
  return is_product ? std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) : sizes;
}

bool read_whole(const std::string& file, std::string& out)
{
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  out = std::move(text).str();
  return static_cast<bool>(in);
}

std::string read_list(const std::string& file, std::vector<Case>& out)
{
  std::ifstream in(file);
  if (!in) {
    return file + " cannot be read";
  }
  std::string line;
  Case one;
  std::vector<FillOf> fills;
  for (int number = 1; std::getline(in, line); ++number) {
    const bool ends = line == "end";
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (ends ? !is_sound(one) : !read_line(line, one, fills)) {
      return file + ":" + std::to_string(number) + ": '" + line + "' is not understood";
    }
    if (ends) {
      out.push_back(std::move(one));
      one = Case();
    }
  }
  return "";
}

std::string Loaded::load(const std::string& folder, const std::vector<Address>& tensors,
                         const std::vector<Address>& scratch)
{
  m_tensors = tensors;
  m_scratch = scratch;
  std::string wrong = "no module";
  for (const char* const kind : {"cubin", "ptx"}) {
    std::string image;
    if ((m_device.is_emulated() && kind[0] == 'c')
        || !read_whole(folder + "/modules/" + m_case.module + "." + kind, image)) {
      continue;
    }
    wrong = m_module.load(image);
    if (wrong.empty()) {
      m_image = kind;
      break;
    }
  }
  m_functions.clear();
  for (const Launch& launch : m_case.launches) {
    if (wrong.empty()) {
      wrong = m_module.function(launch.function.c_str(), launch.shared_bytes, m_functions.emplace_back());
    }
  }
  return wrong.empty() ? make_maps() : wrong;
}

Address Loaded::address_of(const Argument& argument) const
{
  return argument.kind == ArgumentKind::tensor    ? m_tensors[argument.position]
         : argument.kind == ArgumentKind::scratch ? m_scratch[argument.position]
                                                  : m_maps.at() + argument.position * sizeof(TensorMap);
}

// As Hone's runner does it: a map that the device does not have, since rows are no multiple of 16 bytes, stays empty.
std::string Loaded::make_maps()
{
  const Driver& api = m_device.api();
  if (m_case.maps.empty()) {
    return "";
  }
  if (api.encode_map == nullptr) {
    return "the driver has no tensor maps";
  }
  std::vector<TensorMap> maps(m_case.maps.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const MapOf& map = m_case.maps[i];
    const Address tensor = address_of(map.tensor);
    std::uint64_t strides[4] = {}, bytes = map.element_bytes;
    bool fits = tensor % 16 == 0;
    for (std::size_t d = 0; d + 1 < map.sizes.size(); ++d) {
      bytes *= map.sizes[d];
      strides[d] = bytes;
      fits = fits && bytes % 16 == 0;
    }
    const unsigned steps[5] = {1, 1, 1, 1, 1};
    const int swizzle = map.swizzle == 128 ? 3 : map.swizzle == 64 ? 2 : map.swizzle == 32 ? 1 : 0;
    const Result code = fits ? api.encode_map(&maps[i], map.type, static_cast<unsigned>(map.sizes.size()),
                                              reinterpret_cast<void*>(tensor), map.sizes.data(), strides,
                                              map.box.data(), steps, 0, swizzle, 0, 0)
                             : k_success;
    if (code != k_success) {
      return m_device.trouble("a tensor map", code);
    }
  }
  const std::size_t bytes = maps.size() * sizeof maps[0];
  if (std::string wrong = m_maps.make(bytes); !wrong.empty()) {
    return wrong;
  }
  const Result code = api.to_device(m_maps.at(), maps.data(), bytes);
  return code == k_success ? "" : m_device.trouble("tensor maps could not be written", code);
}

std::string Loaded::launch()
{
  const Driver& api = m_device.api();
  for (std::size_t i = 0; i < m_case.launches.size(); ++i) {
    const Launch& launch = m_case.launches[i];
    for (const FillOf& fill : launch.fills) {
      const std::size_t bytes = fill.buffer.kind == ArgumentKind::tensor ? m_case.tensors[fill.buffer.position].bytes()
                                                                         : m_case.scratch[fill.buffer.position];
      const Address begin = address_of(fill.buffer);
      const std::size_t elements = bytes / fill.element_bytes;
      const Result code =
        fill.element_bytes == 1   ? api.set_bytes(begin, static_cast<unsigned char>(fill.pattern), elements)
        : fill.element_bytes == 2 ? api.set_shorts(begin, static_cast<unsigned short>(fill.pattern), elements)
        : fill.element_bytes == 4 || fill.pattern == 0
          ? api.set_words(begin, static_cast<unsigned>(fill.pattern), bytes / 4)
          : 1;
      if (code != k_success) {
        return m_device.trouble("a buffer could not be filled", code);
      }
    }
    std::vector<std::uint64_t> values(launch.arguments.size());
    std::vector<void*> pointers(launch.arguments.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Argument& argument = launch.arguments[k];
      values[k] =
        argument.kind == ArgumentKind::integer ? static_cast<std::uint64_t>(argument.integer) : address_of(argument);
      pointers[k] = &values[k];
    }
    const Result code =
      api.launch(m_functions[i], launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
                 launch.block[2], launch.shared_bytes, nullptr, pointers.data(), nullptr);
    if (code != k_success) {
      return m_device.trouble(launch.function.c_str(), code);
    }
  }
  return "";
}

} // namespace hone::gpu_bench
