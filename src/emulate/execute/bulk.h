// Copies of the asynchronous proxy, and the mbarriers that they report to. (internal to the room)
#pragma once

#include "emulate/execute/decoder.h"
#include "emulate/execute/memory_access.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::emulate::execute {

// Where lanes hold an address, or a number.
struct LaneOperand {
  std::uint32_t at = 0, bytes = 4;
  std::int64_t offset = 0;

  std::uint64_t of(const Warp& warp, int lane) const
  {
    const std::uint64_t value = bytes == 2   ? std::uint64_t{warp.at<std::uint16_t>(at)[lane]}
                                : bytes == 4 ? std::uint64_t{warp.at<std::uint32_t>(at)[lane]}
                                             : warp.at<std::uint64_t>(at)[lane];
    return value + static_cast<std::uint64_t>(offset);
  }
};
// A register or a variable in shared memory; a number.
LaneOperand lane_operand(Decoder& decoder, const ptx::Operand& operand);
// A mask of groups, of 16 bits.
LaneOperand mask_operand(Decoder& decoder, const ptx::Operand& operand);

// The mbarrier there; no barrier: reported.
struct BarrierPlace {
  SharedPlace place;
  MBarrier* barrier = nullptr;
};
BarrierPlace barrier_at(Warp& warp, const Op& op, std::uint64_t address, int lane);
// The phase ends where nothing is missing.
void look_at_phase(Group& group, MBarrier& barrier);
// Bytes of one copy that the group's barrier waits for come; the newest are not there while older ones are.
void let_bytes_come(Group& group, std::uint64_t barrier_offset);
// Where a copy's bytes go and whom it reports to: mask 0: as the addresses say, else to the same places of every group
// that it names. false: reported.
bool destinations(Warp& warp, const Op& op, std::uint64_t to, std::uint64_t barrier, std::size_t bytes, int lane,
                  std::uint32_t mask, std::vector<BarrierPlace>& barriers, std::vector<SharedPlace>& places);
// A copy to shared memory whose content is known begins: what it touches is checked.
bool begin_bulk_copy(Warp& warp, const Op& op, const BarrierPlace& barrier, BulkCopy copy);

// What .add, .min, ... make of numbers.
enum class BulkUpdate : std::uint8_t { none, add, min, max, inc, dec, land, lor, lxor };
enum class BulkNumber : std::uint8_t { u32, s32, u64, s64, f16, bf16, f32, f64 };
BulkUpdate bulk_update_in(const Decoder& decoder);
std::optional<BulkNumber> bulk_number_of(std::string_view type);
void apply_update(std::byte* to, const std::byte* from, std::size_t bytes, BulkUpdate update, BulkNumber number);
std::size_t bytes_of(BulkNumber number);

bool decode_tensor_copy(Decoder& decoder);
bool decode_async_store(Decoder& decoder); // st.async, red.async; false: not known

} // namespace hone::emulate::execute
