// A kernel: the trusted statement of what must be computed, on which sizes, and how it is judged (kernel.toml).
#pragma once

#include "kernel/accuracy.h"
#include "kernel/data_type.h"
#include "kernel/expression.h"
#include "util/fs.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::kernel {

// Size symbols to extents, e.g. {m: 1024, n: 1024, k: 1024}.
using Sizes = std::map<std::string, std::int64_t>;

std::string to_text(const Sizes& sizes); // "m=1024 n=1024 k=1024"

enum class Role { input, output, inout, scalar, weight };

std::string_view name_of(Role role);
bool is_written(Role role); // output, inout

// Values an input may take. Families of random inputs stay inside it.
struct Domain {
  double low = -1e300;
  double high = 1e300;

  bool is_unbounded() const { return low <= -1e300 && high >= 1e300; }
  bool is_finite() const { return low > -1e300 && high < 1e300; }
};

// What the last two dimensions of an argument hold, so that a factorisation has a result.
enum class MatrixForm {
  any,
  dominant,          // elements of the diagonal are positive and outweigh their row and their column
  positive_definite, // the same, and symmetric
};

std::string_view name_of(MatrixForm form); // "any", "dominant", "positive definite"

struct Argument {
  std::string name;
  DataType type = DataType::f32;
  Role role = Role::input;
  std::vector<ExprPtr> shape; // over size symbols; row-major and dense. Empty for a scalar.
  Domain domain;              // as written, or as the expression asks for (the positive numbers under a log)
  ExprPtr lowest, highest;    // where they depend on sizes: integers over size symbols, else null
  bool domain_given = false;  // written in kernel.toml, not inferred
  bool rising = false;        // elements never fall; the first is the domain's lower end, the last its upper end
  MatrixForm matrix = MatrixForm::any; // of square matrices of floats; the domain is that of other elements
  Place place;
};

// The domain on concrete sizes.
Result<Domain> domain_of(const Argument& argument, const Sizes& sizes);

enum class AlsoSizes {
  any,   // must be right on other sizes too; hidden ones are tried
  timed, // specialised: sizes are injected as macros, only the timed sizes are tried
};

// Where the right results come from.
enum class ReferenceKind {
  expression, // derived from [compute] expr; bounds follow from it
  code,       // reference.cpp of the kernel's folder, in fp64; bounds are a tolerance
  start,      // the kernel's own first candidate (start/cpu); bounds are a tolerance
};

std::string_view name_of(ReferenceKind kind); // "expression", "reference.cpp", "first candidate"

// A parameter of the function that the kernel was made from: an argument or a size by its name, or a number that the
// kernel does not take.
struct SignatureParameter {
  std::string name;
  std::string type; // as in C: "const double *", "int"
  ExprPtr equals;   // of a parameter that the kernel does not take: what the caller must pass; else null
  bool unused = false;
  Place place;
};

// [signature]: how the function that the kernel was made from is called. No parameters: there is none.
struct Signature {
  std::vector<SignatureParameter> parameters;
  std::string returns; // the type of what it returns, "" for void: the output `result`
  std::string result;
};

// A kernel is shared and never changed once loaded.
struct Kernel {
  std::string name;
  std::string summary;
  std::vector<Argument> arguments;  // the order of a candidate's tensor parameters
  std::vector<std::string> symbols; // size symbols in order of first appearance; also the order of size parameters
  Program program;                  // no statements where the reference is no expression
  std::string expression_text;      // [compute] expr as written
  ReferenceKind reference = ReferenceKind::expression;
  std::string reference_code; // of ReferenceKind::code: the text of reference.cpp
  Accuracy accuracy;
  std::vector<Sizes> timed;    // at least one
  std::vector<double> weights; // of the timed sizes in a climb on all of them; empty: all alike
  AlsoSizes also = AlsoSizes::any;
  std::vector<ExprPtr> size_conditions; // over size symbols; sizes at which one is false mean nothing
  DataType accumulate = DataType::f32;
  Signature signature; // not part of the hash
  fs::path folder;     // where it was loaded from; empty for one made in memory
  std::string hash;    // SHA-256 of the canonical form: not of comments, order or layout; reference.cpp as it is

  const Argument* find_argument(std::string_view name) const;
  std::vector<std::size_t> inputs() const;  // positions in `arguments` of role input, inout, weight
  std::vector<std::size_t> outputs() const; // positions of role output, inout
};

// Loads FOLDER/kernel.toml (a path to the file itself works too). Errors carry file:line:column, what is wrong,
// what was expected and the nearest valid name.
Result<Kernel> load_kernel(const fs::path& path);
// The same from text; `origin` names it in errors.
Result<Kernel> parse_kernel(std::string_view toml, const std::string& origin);

// All mistakes found in the file, not only the first (for `hone check`); empty when it is right.
std::vector<Error> check_kernel(const fs::path& path);

// kernel.toml made from one expression: every argument f32 unless `types` says otherwise, shapes from the
// subscripts, sizes from `sizes` or a default, all written out so that a person can edit them.
struct NewKernel {
  std::string name;
  std::string expression;
  std::map<std::string, std::string> types; // argument -> type name
  Sizes sizes;
};
Result<std::string> draft_kernel_toml(const NewKernel& request);

// Sizes to begin with, at which a plain implementation takes about a second at most.
Sizes default_sizes(const Kernel& kernel);

// Concrete shape of an argument or of an intermediate (statement target), and number of elements.
Result<std::vector<std::int64_t>> shape_of(const Argument& argument, const Sizes& sizes);
Result<std::vector<std::int64_t>> shape_of(const Statement& statement, const Sizes& sizes);
Result<std::int64_t> elements_of(const Argument& argument, const Sizes& sizes);

// An error where the kernel means nothing on these sizes: a dimension below 1, a condition of [sizes] where that does
// not hold, a read outside a tensor.
Result<void> check_sizes(const Kernel& kernel, const Sizes& sizes);

// The extents of an argument or of an intermediate, over size symbols; empty for a scalar and for an unknown name.
std::vector<ExprPtr> shape_of_tensor(const Kernel& kernel, std::string_view name);

// Work of one call on these sizes, from the expression alone.
struct Work {
  double flops = 0;            // arithmetic operations on data; a multiply and an add count 2
  double compulsory_bytes = 0; // each input read once, each output written once
  double updated_bytes = 0;    // of these, what is written back to where it was read
  double plain_flops = 0;      // of plain loops, which begin sums anew that could be carried along
  double per_element = 0;      // of one element of the dearest statement: how long its sums are

  double total() const { return flops + compulsory_bytes; } // how long slow code may take grows with both
};
Result<Work> work_of(const Kernel& kernel, const Sizes& sizes);

} // namespace hone::kernel
