#include "kernel/schema.h"
#include "kernel/schema_words.h"

namespace hone::kernel {

namespace {

// What an editor's reader makes of `inf` in a domain depends on the editor: JSON has no such number.
Json domain_schema()
{
  Json schema =
    list_schema("values the input may take: [low, high]; inf for no end; text: an integer expression over sizes",
                {{"type", {"number", "string", "null"}}}, 2);
  schema["maxItems"] = 2;
  return schema;
}

Json shape_schema()
{
  const Json extent{{"type", {"string", "integer"}}};
  return list_schema("extents, outermost first: sizes, expressions over sizes, or integers; none for a scalar", extent);
}

Json tolerance_schema(std::string_view description)
{
  return {{"description", description}, {"type", "number"}, {"minimum", 0}};
}

Json argument_schema()
{
  const std::vector<std::string> roles{"input", "output", "inout", "scalar", "weight"};
  const std::vector<std::string> orders{"rising"}, forms{"dominant", "positive definite"};
  return object_schema("a tensor or a scalar of the kernel",
                       {{"type", words_schema("element type", type_words()), true},
                        {"shape", shape_schema()},
                        {"role", words_schema("left out: output where [compute] computes it, else input", roles)},
                        {"domain", domain_schema()},
                        {"matrix", words_schema("what square matrices hold: dominant: the diagonal outweighs its row "
                                                "and column; positive definite: the same, and symmetric",
                                                forms)},
                        {"order", words_schema("rising: every row is sorted, from the domain's lower end to its upper "
                                               "one",
                                               orders)}});
}

Json sizes_schema()
{
  Json size = integer_schema("extent", 1);
  size["maximum"] = std::int64_t{1} << 31;
  const Json set = named_schema("a size for each symbol", k_name_pattern, size);
  const std::vector<std::string> also{"any", "timed"};
  return object_schema("on which sizes",
                       {{"timed", list_schema("sets of sizes that are timed", set, 1), true},
                        {"weights", list_schema("how much each of them counts in a climb; left out: all alike",
                                                {{"type", "number"}, {"exclusiveMinimum", 0}})},
                        {"also", words_schema("any: must be right on other sizes too; timed: specialised", also)},
                        {"where", list_schema("conditions that sizes must meet: \"n <= ldc\"",
                                              text_schema("a comparison of expressions over sizes"))}});
}

Json signature_schema()
{
  Json equals = text_schema("what the caller passes, where the kernel does not take it: an expression over sizes");
  const Json unused{{"description", "the kernel does not take it"}, {"type", "boolean"}};
  const Json parameter = object_schema("a parameter", {{"name", text_schema("an argument or a size by its name"), true},
                                                       {"type", text_schema("as in C: const double *"), true},
                                                       {"equals", equals},
                                                       {"unused", unused}});
  return object_schema("how the function that the kernel was made from is called; `hone ship` keeps it",
                       {{"parameters", list_schema("in their order", parameter, 1), true},
                        {"returns", text_schema("the type of what it returns; left out for void")},
                        {"result", text_schema("the output that it returns")}});
}

} // namespace

Json kernel_file_schema()
{
  const std::vector<std::string> accumulators{"f64", "f32", "f16"};
  const std::vector<std::string> references{"reference.cpp", "start"};
  const std::vector<std::string> classes{"elementwise", "normwise"};
  const std::vector<std::string> overflow{"checked", "unchecked"};
  const std::vector<std::string> nan{"propagate", "undefined"};
  Json name = text_schema("the kernel's name: letters, digits, '-', '_' and '.'");
  name["pattern"] = "^[A-Za-z0-9._-]+$";
  Json compute = object_schema("what must be computed",
                               {{"expr", text_schema("statements, one per line: C[m,n] = sum(k, A[m,k] * B[k,n])")},
                                {"reference", words_schema("in place of expr: code in fp64, or the kernel's own first "
                                                           "candidate",
                                                           references)}});
  compute["anyOf"] = Json::array({{{"required", {"expr"}}}, {{"required", {"reference"}}}});
  const Json schema = object_schema(
    "what must be computed, on which sizes, and how it is judged",
    {{"kernel",
      object_schema("what it is called", {{"name", name, true}, {"summary", text_schema("one line for people")}}),
      true},
     {"compute", compute, true},
     {"arguments",
      named_schema("the tensors and scalars, in the order of a candidate's parameters", k_name_pattern,
                   argument_schema()),
      true},
     {"sizes", sizes_schema(), true},
     {"signature", signature_schema()},
     {"accuracy",
      object_schema("how exact", {{"accumulate", words_schema("type that sums are kept in", accumulators)},
                                  {"class", words_schema("normwise: bounds are those of the whole output", classes)},
                                  {"relative", tolerance_schema("allowed error, as a part of the value, below 1")},
                                  {"absolute", tolerance_schema("allowed error besides")},
                                  {"overflow", words_schema("unchecked: elements computed from numbers near overflow "
                                                            "are not compared",
                                                            overflow)},
                                  {"nan", words_schema("undefined: elements computed from infinities or NaN are not "
                                                       "compared",
                                                       nan)}})}});
  return file_schema("kernel.toml", schema);
}

} // namespace hone::kernel
