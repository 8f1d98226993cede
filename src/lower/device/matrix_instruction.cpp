// Sources: PTX ISA, "Matrix fragments for mma.m16n8k16"; AMD CDNA 2 and CDNA 3 instruction set guides,
// V_MFMA_F32_16X16X16.
#include "lower/device/matrix_instruction.h"

#include "lower/dialect.h"

#include <algorithm>
#include <array>

namespace hone::lower::device {

namespace {

using kernel::DataType;

constexpr std::array k_matrix_instructions = {
  MatrixInstruction{"cuda", DataType::f16, 16, 8, 16, 32, 2, 2, 8, 1, 4, 4, 2, "hone_mma_f16"},
  MatrixInstruction{"cuda", DataType::bf16, 16, 8, 16, 32, 2, 2, 8, 1, 4, 4, 2, "hone_mma_bf16"},
  MatrixInstruction{"hip", DataType::f16, 16, 16, 16, 64, 4, 1, 1, 4, 16, 2, 2, "hone_mma_f16"},
  MatrixInstruction{"hip", DataType::bf16, 16, 16, 16, 64, 4, 1, 1, 4, 16, 2, 2, "hone_mma_bf16"},
};

} // namespace

const MatrixInstruction* find_matrix_instruction(std::string_view dialect, kernel::DataType type)
{
  const auto found = std::ranges::find_if(
    k_matrix_instructions, [&](const MatrixInstruction& one) { return one.dialect == dialect && one.type == type; });
  return found == k_matrix_instructions.end() ? nullptr : &*found;
}

} // namespace hone::lower::device

namespace hone::lower {

int matrix_items(const Dialect& dialect)
{
  const auto found =
    std::ranges::find(device::k_matrix_instructions, dialect.name, &device::MatrixInstruction::dialect);
  return found == device::k_matrix_instructions.end() ? 0 : found->items;
}

} // namespace hone::lower
