// hone new: a kernel folder from one expression, or from a function in C, C++, CUDA or HIP.
#include "app/new_kernel.h"
#include "cli/new_from.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct NewOptions {
  std::string expression;
  std::vector<std::string> types;
  ImportRequest shared; // and what only --from takes
};

Result<Exit> make(Context& context, const NewOptions& options)
{
  if (options.expression.empty() == options.shared.file.empty()) {
    return fail("hone new needs an expression (--expr) or a file with a function (--from)", "see: hone new --help",
                Place{"hone new", 0, 0});
  }
  if (!options.shared.file.empty()) {
    return new_from(context, options.shared);
  }
  HONE_TRY(const NewKernelResult result, new_kernel({.expression = options.expression,
                                                     .name = options.shared.name,
                                                     .folder = options.shared.folder,
                                                     .types = options.types,
                                                     .sizes = options.shared.sizes}));
  context.terminal.out(result.toml);
  context.terminal.out(fmt::format("wrote {}\nnext: hone optimize {}", result.file.string(), result.folder.string()));
  context.print_json(to_json(result));
  return Exit::ok;
}

} // namespace

void add_new(CommandLine& line)
{
  auto options = std::make_shared<NewOptions>();
  CLI::App* command =
    line.add("new", "Make a kernel folder from an expression, or from a function in C, C++, CUDA or HIP",
             {R"TEXT(hone new --expr "S[b,i,j] = sum(d, Q[b,i,d]*K[b,j,d]) * 0.125" --name scores)TEXT",
              R"TEXT(hone new --expr "C[m,n] = sum(k, A[m,k]*B[k,n])" --type A=f64 --size m=256,n=64)TEXT",
              R"TEXT(hone new --from blas.c --function dgemm --size m=512,n=512,k=512)TEXT",
              R"TEXT(hone new --from saxpy.cu)TEXT", R"TEXT(hone new --from tiled.cu --reference product.c)TEXT"},
             [options](Context& context) { return make(context, *options); });
  ImportRequest& shared = options->shared;
  auto* expression = command->add_option("--expr", options->expression, "what to compute (docs/expressions.md)");
  command->add_option("--name", shared.name, "the kernel's name; default: from the expression's target");
  command->add_option("--out", shared.folder, "folder to make; default: ./NAME");
  command->add_option("--type", options->types, "type of an argument, e.g. A=f64; default f32")->needs(expression);
  command->add_option("--size", shared.sizes, "size of a symbol, e.g. m=1024; sensible defaults otherwise");
  auto* from =
    command->add_option("--from", shared.file, "C, C++, CUDA or HIP file with the function (docs/new-from.md)");
  from->excludes(expression);
  command->add_option("--function", shared.function, "the function in that file; default: its only one")->needs(from);
  command
    ->add_option("--reference", shared.reference,
                 "plain C that computes what a __global__ function does: FILE, FILE:FUNCTION or FUNCTION")
    ->needs(from);
  command->add_option("--shape", shared.shapes, "shape of an argument where the code does not tell, e.g. x=n,2*m")
    ->needs(from);
  command->add_option("--domain", shared.domains, "values that an argument takes, e.g. label=0,c-1 or v=0,1e6")
    ->needs(from);
  command
    ->add_option("--tolerance", shared.tolerance,
                 "how far results may be off where that does not follow from the code: RELATIVE or RELATIVE,ABSOLUTE")
    ->needs(from);
  command->add_option("-I", shared.include_folders, "folder with headers that the file includes")->needs(from);
  command->add_option("-D", shared.definitions, "macro for the file, NAME or NAME=VALUE")->needs(from);
}

} // namespace hone::cli
