// Products on devices and the steps that take them to matrix instructions: what matrix_steps executes on the emulated
// device, and bench/gpu packs for a GPU.
#pragma once

#include "device_facts.h"
#include "kernel/kernel.h"
#include "util/random.h"
#include "util/util.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

using Steps = std::vector<std::string>;

struct Product {
  std::string kernel;
  bool a_transposed = false, b_transposed = false;
  std::vector<std::array<std::string, 2>> edits = {}; // of kernel.toml: what is replaced by what
};

inline const std::vector<Product> k_products = {
  {"matmul-f16"}, {"matmul-bf16"}, {"matmul"}, {"matmul-ta", true}, {"matmul-tb", false, true}};

// Of groups in clusters: matrix_steps only, as gpu_bench launches none.
inline const std::vector<Steps> k_clustered = {
  {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies", "share-tiles-in-clusters",
   "order-groups", "persistent-groups", "tensor-stores"},
  {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies", "order-groups",
   "share-tiles-in-clusters"}};

// Of bytes, and in other classes of accuracy: no kernels of their own.
inline const std::vector<Product>& edited_products()
{
  static const std::array<std::string, 2> column = {"B[k,n]", "B[n,k]"}, columns = {R"(["k", "n"])", R"(["n", "k"])"},
                                          row = {"A[m,k]", "A[k,m]"}, rows = {R"(["m", "k"])", R"(["k", "m"])"},
                                          near = {"[accuracy]", "[accuracy]\nclass = \"normwise\"\nrelative = 0.002"},
                                          unsigned_bytes = {"\"i8\"", "\"u8\""};
  static const std::vector<Product> products = {{"matmul-i8"},
                                                {"matmul-i8", false, true, {column, columns}},
                                                {"matmul-i8", true, false, {row, rows, unsigned_bytes}},
                                                {"matmul", false, false, {near}},
                                                {"matmul-tb", false, true, {near}},
                                                {"matmul-f64"},
                                                {"matmul-f64", true, true, {row, rows, column, columns}}};
  return products;
}

inline Result<kernel::Kernel> kernel_of(const Product& product)
{
  const fs::path file = fs::path(HONE_SOURCE_ROOT) / "kernels" / product.kernel / "kernel.toml";
  HONE_TRY(std::string text, read_file(file));
  for (const auto& [from, to] : product.edits) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return kernel::parse_kernel(text, file.string());
}

// Each prefix of these is executed.
inline std::vector<Steps> sequences_for(const std::string& kernel, std::string_view language, bool warp_groups)
{
  const Steps tiles = {"group-outputs",         "tile-work-items", "vector-loads",
                       "stage-in-local-memory", "overlap-staging", "order-groups"};
  if (!kernel.ends_with("f16")) {
    return {tiles,
            {"group-outputs", "tile-work-items", "stage-in-local-memory", "dense-local-memory", "unroll-k"},
            {"group-outputs", "stage-in-local-memory", "swizzle-local-memory", "split-k-groups"},
            {"group-outputs", "stage-in-local-memory", "rows-from-memory", "persistent-groups"}};
  }
  std::vector<Steps> out = {tiles,
                            {"matrix-instructions", "overlap-staging", "order-groups", "persistent-groups"},
                            {"matrix-instructions", "swizzle-local-memory", "split-k-groups"}};
  if (language == "cuda") {
    out.push_back({"matrix-instructions", "matrix-loads", "copy-asynchronously", "swizzle-local-memory", "order-groups",
                   "persistent-groups"});
    out.push_back({"matrix-instructions", "copy-asynchronously", "split-k-groups"});
  }
  if (warp_groups) {
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "copy-asynchronously",
                   "order-groups", "persistent-groups"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "overlap-staging"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies",
                   "order-groups", "persistent-groups"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-stores",
                   "copy-asynchronously", "persistent-groups"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies",
                   "tensor-stores", "order-groups", "persistent-groups"});
  }
  return out;
}

// As above, for what edited_products() has: as far as their elements have such instructions.
inline std::vector<Steps> sequences_of_edited(const kernel::Kernel& kernel, std::string_view language, bool warp_groups)
{
  const kernel::DataType type = kernel.arguments.front().type;
  std::vector<Steps> out;
  if (language != "cuda") {
    return type == kernel::DataType::i8
             ? std::vector<Steps>{{"matrix-instructions", "overlap-staging", "order-groups", "persistent-groups"},
                                  {"matrix-instructions", "swizzle-local-memory"}}
             : out;
  }
  out = {{"matrix-instructions", "overlap-staging", "persistent-groups"},
         {"matrix-instructions", "copy-asynchronously", "swizzle-local-memory", "order-groups"}};
  if (type != kernel::DataType::f64) {
    out.push_back({"matrix-instructions", "swizzle-local-memory", "matrix-loads"});
    out.push_back({"matrix-instructions", "matrix-loads", "copy-asynchronously"});
  }
  if (kernel::is_float(type)) {
    out.push_back({"matrix-instructions", "split-k-groups"});
  }
  const std::string b = kernel::to_text(kernel.program.statements.front());
  if (warp_groups && type != kernel::DataType::f64 && b.contains("B[n,k]") && !b.contains("A[k,m]")) {
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "copy-asynchronously"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies",
                   "order-groups", "tensor-stores", "persistent-groups"});
    out.push_back({"matrix-instructions", "swizzle-local-memory", "warp-group-instructions", "tensor-copies",
                   "share-tiles-in-clusters", "persistent-groups"});
  }
  return out;
}

inline const std::vector<std::array<std::int64_t, 3>> k_sizes = {{1, 1, 1},     {64, 64, 64},   {67, 45, 83},
                                                                 {16, 200, 33}, {130, 72, 160}, {80, 136, 321}};

inline kernel::Sizes sizes_of(const std::array<std::int64_t, 3>& sizes)
{
  return {{"m", sizes[0]}, {"n", sizes[1]}, {"k", sizes[2]}};
}

// The smallest legal point near the defaults: groups of several warps, but tiles that small sizes fill.
inline kernel::TuningPoint point_of(const kernel::Candidate& candidate, const kernel::PlanScope& facts,
                                    const kernel::Sizes& sizes, Random& random)
{
  kernel::TuningPoint point = candidate.plan.tuning.defaults();
  for (int attempt = 0; attempt < 300; ++attempt) {
    kernel::TuningPoint drawn;
    for (const kernel::TuningParameter& parameter : candidate.plan.tuning.parameters) {
      drawn[parameter.name] = parameter.values[random.below(parameter.values.size())];
    }
    const auto holds =
      kernel::satisfies_constraints(candidate.plan.tuning, kernel::plan_scope(sizes, drawn, facts), nullptr);
    if (holds && *holds) {
      return drawn;
    }
  }
  return point;
}

} // namespace hone
