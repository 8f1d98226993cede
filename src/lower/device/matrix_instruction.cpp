// Sources: PTX ISA, "Matrix fragments for mma.m16n8k16", "... m16n8k32"; AMD CDNA 2 and CDNA 3 instruction set guides,
// V_MFMA_F32_16X16X16, V_MFMA_I32_16X16X16I8.
#include "lower/device/matrix_instruction.h"

#include "lower/device/reductions.h"
#include "lower/expression_text.h"
#include "lower/matrix_shape.h"
#include "lower/number_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::lower::device {

namespace {

using kernel::DataType;

constexpr std::array k_matrix_instructions = {
  MatrixInstruction{"cuda", DataType::f16, DataType::f32, "f16", 16, 8, 16, 32, 2, 2, 8, 1, 4, DataType::u32, 4, 2,
                    WarpGroups::any_lines},
  MatrixInstruction{"cuda", DataType::bf16, DataType::f32, "bf16", 16, 8, 16, 32, 2, 2, 8, 1, 4, DataType::u32, 4, 2,
                    WarpGroups::any_lines},
  MatrixInstruction{"cuda", DataType::f32, DataType::f32, "tf32", 16, 8, 8, 32, 2, 2, 8, 1, 4, DataType::u32, 4, 2,
                    WarpGroups::lines_of_terms},
  MatrixInstruction{"cuda", DataType::f64, DataType::f64, "f64", 8, 8, 4, 32, 1, 2, 8, 1, 4, DataType::f64, 1, 1,
                    WarpGroups::none},
  MatrixInstruction{"cuda", DataType::i8, DataType::i32, "s8", 16, 8, 32, 32, 2, 2, 8, 1, 4, DataType::u32, 4, 2,
                    WarpGroups::lines_of_terms},
  MatrixInstruction{"cuda", DataType::u8, DataType::i32, "u8", 16, 8, 32, 32, 2, 2, 8, 1, 4, DataType::u32, 4, 2,
                    WarpGroups::lines_of_terms},
  MatrixInstruction{"hip", DataType::f16, DataType::f32, "f16", 16, 16, 16, 64, 4, 1, 1, 4, 16, DataType::u32, 2, 2,
                    WarpGroups::none},
  MatrixInstruction{"hip", DataType::bf16, DataType::f32, "bf16", 16, 16, 16, 64, 4, 1, 1, 4, 16, DataType::u32, 2, 2,
                    WarpGroups::none},
  MatrixInstruction{"hip", DataType::i8, DataType::i32, "s8", 16, 16, 32, 64, 4, 1, 1, 4, 16, DataType::u32, 2, 2,
                    WarpGroups::none},
};

bool is_plain_load(const kernel::Expr& value)
{
  return value.kind == kernel::ExprKind::load;
}

bool reads_inside(const kernel::Expr& load)
{
  return std::ranges::any_of(
    load.args, [](const kernel::ExprPtr& subscript) { return kernel::any_part(*subscript, is_plain_load); });
}

// Sums of whole numbers wrap around in 32 bits. Stored there they are what 64 bits give too.
Result<void> check_whole_sum(const kernel::Statement& statement)
{
  const bool alone = statement.value->kind == kernel::ExprKind::reduce;
  return alone && statement.type == DataType::i32
           ? Result<void>()
           : fail("matrix instructions add whole numbers up in 32 bits, and here more is done with the sum",
                  "store the sum as i32, and go on with it in another statement");
}

// Both operands are rounded to 11 bits. A sum's error is then a part of the sum of magnitudes, which the bound of an
// element does not know: only a kernel whose bounds are those of the whole output may say that it is small enough.
Result<void> check_tf32(const kernel::Kernel& kernel)
{
  const bool admitted =
    kernel.accuracy.bounds == kernel::BoundClass::normwise && kernel.accuracy.tolerance.relative >= k_tf32_rounded;
  return admitted
           ? Result<void>()
           : fail(fmt::format("matrix instructions round f32 to tf32, and the kernel's accuracy ({}) does not admit it",
                              kernel::accuracy_text(kernel)),
                  "choose group-outputs; or say in kernel.toml that 0.1 % of the output's largest value is near "
                  "enough: [accuracy] class = \"normwise\" and relative = 0.001");
}

} // namespace

Result<const MatrixInstruction*> matrix_instruction_for(const kernel::Kernel& kernel,
                                                        const kernel::Statement& statement, std::string_view dialect)
{
  const std::vector<const kernel::Expr*> reductions = outermost_reductions(*statement.value);
  if (reductions.size() != 1 || reductions.front()->op != kernel::ReduceOp::sum) {
    return fail("matrix instructions are for a statement with one sum");
  }
  const kernel::Expr& term = *reductions.front()->args[0];
  const bool product = term.kind == kernel::ExprKind::binary && term.name == "*" && is_plain_load(*term.args[0])
                       && is_plain_load(*term.args[1]);
  if (!product || reads_inside(*term.args[0]) || reads_inside(*term.args[1])) {
    return fail("matrix instructions add up products of two elements, and nothing else");
  }
  const DataType type = stored_type(kernel, *term.args[0]), other = stored_type(kernel, *term.args[1]);
  const auto found = std::ranges::find_if(k_matrix_instructions, [&](const MatrixInstruction& one) {
    return one.dialect == dialect && one.type == type && type == other;
  });
  if (found == k_matrix_instructions.end()) {
    return fail(fmt::format("{} has no matrix instructions here for elements of {} and {}", dialect,
                            kernel::name_of(type), kernel::name_of(other)),
                "choose group-outputs");
  }
  if (type == DataType::f32) {
    HONE_CHECK(check_tf32(kernel));
  }
  if (!kernel::is_float(found->sum)) {
    HONE_CHECK(check_whole_sum(statement));
  } else if (compute_type(kernel, statement) != found->sum) {
    return fail(fmt::format("matrix instructions add {} up in {}, and the kernel accumulates in {}",
                            kernel::name_of(type), kernel::name_of(found->sum),
                            kernel::name_of(compute_type(kernel, statement))),
                "choose group-outputs");
  }
  return &*found;
}

Result<const MatrixInstruction*> matrix_instruction_of(const kernel::Kernel& kernel, std::string_view dialect)
{
  Result<const MatrixInstruction*> out = fail("the kernel has no statement");
  bool first = true;
  for (const kernel::Statement& statement : kernel.program.statements) {
    Result<const MatrixInstruction*> one = matrix_instruction_for(kernel, statement, dialect);
    if (one) {
      return one;
    }
    if (first) {
      out = std::move(one);
    }
    first = false;
  }
  return out;
}

} // namespace hone::lower::device

namespace hone::lower {

int matrix_items(const Dialect& dialect)
{
  const auto found =
    std::ranges::find(device::k_matrix_instructions, dialect.name, &device::MatrixInstruction::dialect);
  return found == device::k_matrix_instructions.end() ? 0 : found->items;
}

Result<MatrixShape> matrix_shape(const kernel::Kernel& kernel, const Dialect& dialect)
{
  if (matrix_items(dialect) == 0) {
    return fail(dialect.name + " has no matrix instructions here", "choose another step");
  }
  HONE_TRY(const device::MatrixInstruction* one, device::matrix_instruction_of(kernel, dialect.name));
  if (one->type == kernel::DataType::f32 && kernel.program.statements.size() > 1) {
    return fail("matrix instructions round f32 to tf32, and what other statements make of the result has no tolerance",
                "choose group-outputs");
  }
  return MatrixShape{one->type,
                     one->items,
                     one->rows,
                     one->columns,
                     one->terms,
                     static_cast<int>(kernel::size_of(one->type)),
                     one->warp_groups != device::WarpGroups::none};
}

} // namespace hone::lower
