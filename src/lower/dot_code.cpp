#include "lower/dot_code.h"

namespace hone::lower {

Result<DotCode> DotCode::create(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  HONE_TRY(ContractionCode code, ContractionCode::create(kernel, schedule, dialect));
  const kernel::DataType a = code.view.contraction.a->type;
  const kernel::DataType b = code.view.contraction.b->type;
  DotCode out{std::move(code)};
  out.bytes = a != kernel::DataType::bf16;
  out.a_signed = a == kernel::DataType::i8;
  out.shifted = out.bytes && a == b;
  out.flips_a = out.shifted && schedule.column_sums;
  out.packs_a = out.code.view.a_strided;
  out.sums_aside = out.code.view.updates || out.code.view.statement->type == kernel::DataType::bf16;

  ContractionCode& names = out.code;
  names.vector_type = out.bytes ? "hone_i32v" : "f32v";
  names.lanes = "f32v_lanes";
  names.j_begin = names.local(names.j + "_block");
  names.j_end = names.local(names.j + "_end");
  names.p_begin = names.local(names.p + "_block");
  names.p_end = names.local(names.p + "_end");
  names.nest.k_block = "TILE_K";
  out.sums = names.local(out.flips_a ? "column_sums" : "row_sums");
  out.partial = names.local("sums");
  out.joined_strips = schedule.joined_strips;
  out.strips = out.joined_strips ? names.local("strips_of_" + names.view.contraction.b->name) : names.panel_b;
  if (out.joined_strips) {
    names.group_buffers.emplace_back(out.strips, names.type_of(b));
  }
  if (out.shifted) {
    names.group_buffers.emplace_back(out.sums, "int32_t");
  }
  if (out.sums_aside) {
    names.group_buffers.emplace_back(out.partial, "float");
  }
  return out;
}

} // namespace hone::lower
