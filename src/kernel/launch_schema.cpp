#include "kernel/schema.h"
#include "kernel/schema_words.h"

namespace hone::kernel {

namespace {

Json name_schema(std::string_view description)
{
  Json schema = text_schema(description);
  schema["pattern"] = k_name_pattern;
  return schema;
}

Json expression_schema(std::string_view description)
{
  return {{"description", description}, {"type", {"integer", "string"}}};
}

// One number for x alone, or up to three.
Json dimensions_schema(std::string_view description)
{
  Json list = list_schema("x first", expression_schema("an integer expression"), 1);
  list["maxItems"] = 3;
  return {{"description", description}, {"anyOf", {expression_schema("x"), list}}};
}

Json tuning_schema()
{
  Json values = list_schema("different integers", {{"type", "integer"}}, 1);
  values["maxItems"] = 256;
  values["uniqueItems"] = true;
  const Json parameter = object_schema(
    "a tuning parameter: a macro that changes speed, never the result",
    {{"values", values, true}, {"default", {{"description", "left out: the first value"}, {"type", "integer"}}}});
  Json tuning = named_schema("the space of tuning parameters", k_name_pattern, parameter);
  // A name of its own beside the parameters: the pattern must not reach it.
  tuning["patternProperties"] = Json{{"^(?!constraints$)[A-Za-z_][A-Za-z0-9_]*$", parameter}};
  Json constraints = list_schema("what a point must fulfil", expression_schema("TILE_M * TILE_N <= 4096"));
  constraints["maxItems"] = 256;
  tuning["properties"] = Json{{"constraints", constraints}};
  return tuning;
}

Json scratch_schema()
{
  return object_schema(
    "a buffer between launches",
    {{"name", name_schema("what args call it"), true},
     {"type", words_schema("element type; left out: f32", type_words())},
     {"size", expression_schema("elements"), true},
     {"prepared",
      {{"description", "written by [[prepare]], only read by [[launch]]; left out: false"}, {"type", "boolean"}}}});
}

Json map_schema()
{
  const auto dimensions = [](std::string_view description) {
    Json list = list_schema(description, expression_schema("an integer expression"), 1);
    list["maxItems"] = 5;
    return list;
  };
  return object_schema("a dense tensor as copies of boxes see it; CUDA only",
                       {{"name", name_schema("what args call it"), true},
                        {"tensor", text_schema("an argument or a scratch buffer"), true},
                        {"sizes", dimensions("elements, innermost dimension first")},
                        {"box", dimensions("elements of a box, likewise")},
                        {"swizzle", {{"description", "bytes: 0, 32, 64 or 128; left out: 0"}, {"type", "integer"}}}});
}

Json names_schema(std::string_view description)
{
  Json schema = list_schema(description, {{"type", "string"}});
  schema["maxItems"] = 256;
  return schema;
}

Json launch_schema(std::string_view description)
{
  const Json value{{"description", "the byte pattern's value; left out: 0"}, {"type", "integer"}};
  const Json fill = object_schema("a buffer that is filled before the launch",
                                  {{"buffer", text_schema("its name"), true}, {"value", value}});
  return object_schema(
    description,
    {{"kernel", name_schema("the extern \"C\" function"), true},
     {"grid", dimensions_schema("number of work-groups")},
     {"block", dimensions_schema("work-items per group; 1 on the CPU")},
     {"cluster", dimensions_schema("groups that run together, of which the grid is a multiple; CUDA only")},
     {"shared", expression_schema("bytes of group-local scratch memory")},
     {"args", names_schema("arguments, scratch buffers, tensor maps and size symbols, in order")},
     {"reduce", names_schema("buffers where groups may write the same element")},
     {"fill", fill},
     {"when", expression_schema("launched only where this is not zero")},
     {"repeat", expression_schema("how many times; `repeat_index` may be an argument")}});
}

} // namespace

Json launch_file_schema()
{
  Json scratch = list_schema("scratch buffers", scratch_schema());
  scratch["maxItems"] = 256;
  Json maps = list_schema("tensor maps", map_schema());
  maps["maxItems"] = 256;
  Json launches = list_schema("launches, in order", launch_schema("one launch of a device function"), 1);
  launches["maxItems"] = 256;
  Json preparation = list_schema("launches that lay weights out ahead of the calls, in order, timed apart",
                                 launch_schema("a launch that sees weights and prepared scratch buffers only"));
  preparation["maxItems"] = 256;
  return file_schema("launch.toml",
                     object_schema("the host side of a candidate, as data", {{"tuning", tuning_schema()},
                                                                             {"scratch", scratch},
                                                                             {"tensor_map", maps},
                                                                             {"prepare", preparation},
                                                                             {"launch", launches, true}}));
}

} // namespace hone::kernel
