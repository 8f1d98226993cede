#include "backend/cpu/watch/memory_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace hone::backend::cpu {

bool operator==(const MemoryAccess& a, const MemoryAccess& b)
{
  return a.address == b.address && a.bytes == b.bytes && a.reads == b.reads && a.writes == b.writes
         && a.locked == b.locked && a.moves_stack == b.moves_stack && a.stack_is_stored == b.stack_is_stored;
}

void PrintTo(const MemoryAccess& access, std::ostream* out)
{
  *out << (access.reads ? "r" : "") << (access.writes ? "w" : "") << std::hex << access.address << "+" << access.bytes;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t k_rdi = 0x10000, k_rsi = 0x20000, k_rsp = 0x30000, k_fs_base = 0x40000;

MemoryAccess read(std::uint64_t address, std::uint64_t bytes)
{
  return {.address = address, .bytes = bytes, .reads = true};
}

MemoryAccess written(std::uint64_t address, std::uint64_t bytes)
{
  return {.address = address, .bytes = bytes, .writes = true};
}

MemoryAccess changed(std::uint64_t address, std::uint64_t bytes)
{
  return {.address = address, .bytes = bytes, .reads = true, .writes = true};
}

class MemoryAccessTest : public testing::Test {
protected:
  void set_mask(std::size_t number, std::uint64_t mask) { m_vectors.masks.at(number) = mask; }

  template <class T> void set_ymm(std::size_t number, const std::vector<T>& lanes)
  {
    std::memcpy(m_vectors.vectors.at(number).data(), lanes.data(), lanes.size() * sizeof(T));
  }

  std::vector<MemoryAccess> accesses(std::initializer_list<unsigned char> instruction)
  {
    m_code.emplace_back(16, std::byte{0x90}); // kept: the decoder caches by address
    std::memcpy(m_code.back().data(), instruction.begin(), instruction.size());
    return m_decoder.decode_accesses(m_code.back().data(), m_registers, k_rsp, k_fs_base, m_vectors);
  }

  GeneralRegisters m_registers{.rcx = 3, .rsi = k_rsi, .rdi = k_rdi};
  VectorRegisters m_vectors{};
  std::vector<std::vector<std::byte>> m_code;
  AccessDecoder m_decoder;
};

TEST_F(MemoryAccessTest, AddressesAreComputedFromRegisters)
{
  EXPECT_THAT(accesses({0x8b, 0x44, 0x8f, 0x08}), ElementsAre(read(k_rdi + 3 * 4 + 8, 4))); // movl 8(%rdi,%rcx,4), %eax
  EXPECT_THAT(accesses({0x8b, 0x44, 0x24, 0xf8}), ElementsAre(read(k_rsp - 8, 4)));         // movl -8(%rsp), %eax
  EXPECT_THAT(accesses({0x64, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}),
              ElementsAre(read(k_fs_base + 40, 4))); // movl %fs:40, %eax
  m_registers.rdi = 0x1'0000'0008;
  EXPECT_THAT(accesses({0x67, 0x8b, 0x07}), ElementsAre(read(8, 4))); // movl (%edi), %eax
  const auto here = accesses({0x8b, 0x05, 0x10, 0, 0, 0});            // movl 16(%rip), %eax
  EXPECT_THAT(here, ElementsAre(read(reinterpret_cast<std::uint64_t>(m_code.back().data()) + 6 + 16, 4)));
  const auto below = accesses({0x67, 0x8b, 0x05, 0x10, 0, 0, 0}); // movl 16(%eip), %eax
  const auto next = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(m_code.back().data())) + 7;
  EXPECT_THAT(below, ElementsAre(read(next + 16, 4)));
}

TEST_F(MemoryAccessTest, ReadsAndWritesAreDistinguished)
{
  EXPECT_THAT(accesses({0x83, 0x07, 0x01}), ElementsAre(changed(k_rdi, 4))); // addl $1, (%rdi)
  MemoryAccess locked = changed(k_rdi, 4);
  locked.locked = true;
  EXPECT_THAT(accesses({0xf0, 0x0f, 0xb1, 0x0f}), ElementsAre(locked));      // lock cmpxchgl %ecx, (%rdi)
  EXPECT_THAT(accesses({0x0f, 0xb1, 0x0f}), ElementsAre(changed(k_rdi, 4))); // cmpxchgl %ecx, (%rdi)
  EXPECT_THAT(accesses({0x87, 0x0f}), ElementsAre(locked));                  // xchgl %ecx, (%rdi)
  m_registers.rax = 0x5008;
  EXPECT_THAT(accesses({0x0f, 0x01, 0xfc}), ElementsAre(written(0x5000, 64))); // clzero
  EXPECT_THAT(accesses({0xdb, 0x2f}), ElementsAre(read(k_rdi, 10)));           // fldt (%rdi)
  EXPECT_THAT(accesses({0x62, 0xf1, 0x7c, 0x48, 0x11, 0x4e, 0x01}), ElementsAre(written(k_rsi + 64, 64))); // vmovups
}

TEST_F(MemoryAccessTest, PrefetchAndLeaAccessNothing)
{
  EXPECT_THAT(accesses({0x48, 0x8d, 0x47, 0x08}), IsEmpty()); // leaq 8(%rdi), %rax
  EXPECT_THAT(accesses({0x0f, 0x18, 0x0f}), IsEmpty());       // prefetcht0 (%rdi)
  EXPECT_THAT(accesses({0x0f, 0x1f, 0x07}), IsEmpty());       // nopl (%rdi)
  EXPECT_THAT(accesses({0x53}), IsEmpty());                   // pushq %rbx: its own stack
}

TEST_F(MemoryAccessTest, StringsAreAsLongAsTheirCount)
{
  EXPECT_THAT(accesses({0xf3, 0x48, 0xab}), ElementsAre(written(k_rdi, 24))); // rep stosq
  const auto moved = accesses({0xa4});                                        // movsb
  EXPECT_THAT(moved, testing::UnorderedElementsAre(written(k_rdi, 1), read(k_rsi, 1)));
  m_registers.flags = 0x400; // downwards
  EXPECT_THAT(accesses({0xf3, 0x48, 0xab}), ElementsAre(written(k_rdi - 16, 24)));
  m_registers.rcx = 0;
  EXPECT_THAT(accesses({0xf3, 0x48, 0xab}), IsEmpty());
}

TEST_F(MemoryAccessTest, BitsMayBeFarFromTheirAddress)
{
  m_registers.rax = 1000;
  EXPECT_THAT(accesses({0x48, 0x0f, 0xab, 0x07}), ElementsAre(changed(k_rdi + 8 * 15, 8))); // btsq %rax, (%rdi)
  m_registers.rax = static_cast<std::uint64_t>(-1);
  EXPECT_THAT(accesses({0x0f, 0xa3, 0x07}), ElementsAre(read(k_rdi - 4, 4)));   // btl %eax, (%rdi)
  EXPECT_THAT(accesses({0x0f, 0xba, 0x27, 0x21}), ElementsAre(read(k_rdi, 4))); // btl $33, (%rdi)
}

TEST_F(MemoryAccessTest, NarrowRegistersCountWithTheirOwnBits)
{
  m_registers.rbx = k_rdi;
  m_registers.rax = 0x1234'5605;
  EXPECT_THAT(accesses({0xd7}), ElementsAre(read(k_rdi + 5, 1))); // xlatb
}

TEST_F(MemoryAccessTest, TheStackPointerIsFollowed)
{
  const auto moved = [](std::uint64_t address) { return MemoryAccess{.address = address, .moves_stack = true}; };
  m_registers.rax = 0x5000;
  m_registers.rbp = 0x6000;
  m_registers.r10 = 0x7000;
  EXPECT_THAT(accesses({0x48, 0x89, 0xc4}), ElementsAre(moved(0x5000)));             // movq %rax, %rsp
  EXPECT_THAT(accesses({0x48, 0x94}), ElementsAre(moved(0x5000)));                   // xchgq %rax, %rsp
  EXPECT_THAT(accesses({0x49, 0x8d, 0x62, 0xf8}), ElementsAre(moved(0x6ff8)));       // leaq -8(%r10), %rsp
  EXPECT_THAT(accesses({0x48, 0x83, 0xec, 0x10}), ElementsAre(moved(k_rsp - 0x10))); // subq $16, %rsp
  EXPECT_THAT(accesses({0x48, 0x83, 0xec, 0x80}), ElementsAre(moved(k_rsp + 0x80))); // subq $-128, %rsp
  EXPECT_THAT(accesses({0x48, 0x01, 0xc4}), ElementsAre(moved(k_rsp + 0x5000)));     // addq %rax, %rsp
  EXPECT_THAT(accesses({0x48, 0x83, 0xe4, 0xc0}), ElementsAre(moved(k_rsp & ~std::uint64_t{63}))); // andq $-64, %rsp
  EXPECT_THAT(accesses({0x89, 0xc4}), ElementsAre(moved(0)));                                      // movl %eax, %esp
  EXPECT_THAT(accesses({0xc9}), testing::Contains(moved(0x6000)));                                 // leave
  EXPECT_THAT(accesses({0x53}), IsEmpty());                                                        // pushq %rbx
}

// An array of variable length in a loop ends with such a load: if its value counted as unknown, right code would be
// refused; if the place itself counted as the value, moves to other memory would pass.
TEST_F(MemoryAccessTest, AStackPointerIsLoaded)
{
  m_registers.rbp = 0x6000;
  const MemoryAccess loaded{.address = 0x5fb0, .moves_stack = true, .stack_is_stored = true};
  EXPECT_THAT(accesses({0x48, 0x8b, 0x65, 0xb0}), ElementsAre(loaded, read(0x5fb0, 8))); // movq -80(%rbp), %rsp
}

TEST_F(MemoryAccessTest, SignsOfVectorsChooseLanes)
{
  set_ymm<std::int32_t>(1, {-1, -1, 0, 0, 0, -1, 0, 0});
  EXPECT_THAT(accesses({0xc4, 0xe2, 0x75, 0x2c, 0x07}), // vmaskmovps (%rdi), %ymm1, %ymm0
              ElementsAre(read(k_rdi, 8), read(k_rdi + 20, 4)));
  set_ymm<std::int64_t>(1, {0, -1, -1, 0});
  EXPECT_THAT(accesses({0xc4, 0xe2, 0xf5, 0x8e, 0x07}), ElementsAre(written(k_rdi + 8, 16))); // vpmaskmovq
  set_ymm<std::int32_t>(1, {-1, 0, 0, 0, 0, 0, 0, -1});
  set_ymm<std::int32_t>(2, {-5, 1, 1, 1, 1, 1, 1, 100});
  EXPECT_THAT(accesses({0xc4, 0xe2, 0x75, 0x92, 0x04, 0x97}), // vgatherdps %ymm1, (%rdi,%ymm2,4), %ymm0
              ElementsAre(read(k_rdi - 20, 4), read(k_rdi + 400, 4)));
  set_ymm<std::int32_t>(1, {0x80, 0, 0, static_cast<std::int32_t>(0x80800000), 0, 0, 0, 0});
  EXPECT_THAT(accesses({0xc5, 0xf9, 0xf7, 0xc1}), // vmaskmovdqu %xmm1, %xmm0
              ElementsAre(written(k_rdi, 1), written(k_rdi + 14, 2)));
}

TEST_F(MemoryAccessTest, MaskRegistersChooseLanes)
{
  set_mask(1, 0b1000'0000'0000'0110);
  EXPECT_THAT(accesses({0x62, 0xf1, 0x7c, 0xc9, 0x10, 0x07}), // vmovups (%rdi), %zmm0{%k1}{z}
              ElementsAre(read(k_rdi + 4, 8), read(k_rdi + 60, 4)));
  EXPECT_THAT(accesses({0x62, 0xf2, 0x7d, 0x49, 0x8a, 0x07}), ElementsAre(written(k_rdi, 12))); // vcompressps
  EXPECT_THAT(accesses({0x62, 0xf2, 0xfd, 0xc9, 0x88, 0x07}), ElementsAre(read(k_rdi, 16)));    // vexpandpd: 8 lanes
  EXPECT_THAT(accesses({0x62, 0xf2, 0x7d, 0xc9, 0x18, 0x07}), ElementsAre(read(k_rdi, 4)));     // vbroadcastss
  EXPECT_THAT(accesses({0x62, 0xf1, 0x74, 0x58, 0x58, 0x17}), ElementsAre(read(k_rdi, 4)));     // vaddps (%rdi){1to16}
  EXPECT_THAT(accesses({0x62, 0xf2, 0x75, 0xc9, 0x16, 0x07}), ElementsAre(read(k_rdi, 64)));    // vpermps: any element
  EXPECT_THAT(accesses({0x62, 0xf3, 0x75, 0xc9, 0x18, 0x07, 0x01}), ElementsAre(read(k_rdi, 16))); // vinsertf32x4
  EXPECT_THAT(accesses({0x62, 0xf2, 0x75, 0xc9, 0x50, 0x07}),                                      // vpdpbusd: by fours
              ElementsAre(read(k_rdi + 4, 8), read(k_rdi + 60, 4)));
  EXPECT_THAT(accesses({0x62, 0xf2, 0x7e, 0x49, 0x32, 0x07}), // vpmovqb %zmm0, (%rdi){%k1}
              ElementsAre(written(k_rdi + 1, 2)));
  set_ymm<std::int32_t>(2, {7, 1, -1, 7, 7, 7, 7, 7});
  EXPECT_THAT(accesses({0x62, 0xf2, 0x7d, 0x49, 0xa2, 0x04, 0x97}), // vscatterdps %zmm0, (%rdi,%zmm2,4){%k1}
              ElementsAre(written(k_rdi + 4, 4), written(k_rdi - 4, 4), written(k_rdi, 4)));
  // Of a scalar's mask one bit counts; a sum over several lanes takes them from all of the operand.
  set_mask(1, 0xfe);
  EXPECT_THAT(accesses({0x62, 0xf1, 0xff, 0x09, 0x11, 0x07}), IsEmpty()); // vmovsd %xmm0, (%rdi){%k1}
  EXPECT_THAT(accesses({0x62, 0xf1, 0x76, 0x09, 0x58, 0x07}), IsEmpty()); // vaddss (%rdi), %xmm1, %xmm0{%k1}
  EXPECT_THAT(accesses({0x62, 0xf3, 0xf5, 0x49, 0xce, 0x07, 0x00}), ElementsAre(read(k_rdi, 64))); // vgf2p8affineqb
  EXPECT_THAT(accesses({0x62, 0xf3, 0x75, 0x49, 0x42, 0x07, 0xff}), ElementsAre(read(k_rdi, 64))); // vdbpsadbw
  set_mask(1, 1);
  EXPECT_THAT(accesses({0x62, 0xf1, 0xff, 0x09, 0x11, 0x07}), ElementsAre(written(k_rdi, 8)));
  set_mask(1, 0);
  EXPECT_THAT(accesses({0x62, 0xf1, 0x7c, 0xc9, 0x10, 0x07}), IsEmpty());
  EXPECT_THAT(accesses({0x62, 0xf1, 0x7e, 0x89, 0x10, 0x07}), IsEmpty()); // vmovss (%rdi), %xmm0{%k1}{z}
}

TEST_F(MemoryAccessTest, PopNamesItsPlaceByTheStackPointerAfterIt)
{
  EXPECT_THAT(accesses({0x8f, 0x44, 0x24, 0x10}), ElementsAre(written(k_rsp + 0x18, 8)));       // popq 16(%rsp)
  EXPECT_THAT(accesses({0x66, 0x8f, 0x44, 0x24, 0x10}), ElementsAre(written(k_rsp + 0x12, 2))); // popw 16(%rsp)
  EXPECT_THAT(accesses({0x8f, 0x47, 0x10}), ElementsAre(written(k_rdi + 0x10, 8)));             // popq 16(%rdi)
}

} // namespace
} // namespace hone::backend::cpu
