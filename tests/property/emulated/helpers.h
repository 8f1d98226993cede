// What the kernels of defects/ and correct/ share; the test gives it to the compiler as macros.h. Macros rather than
// functions: the lines that findings name are then those of the kernels. KEEP(n, code): left out of the variant with
// defect n. EITHER(n, right, wrong): another expression there.
#ifndef DEFECT
#define DEFECT 0
#endif
#if DEFECT == 1
#define KEEP_1(...)
#define EITHER_1(right, wrong) wrong
#else
#define KEEP_1(...) __VA_ARGS__
#define EITHER_1(right, wrong) right
#endif
#if DEFECT == 2
#define KEEP_2(...)
#define EITHER_2(right, wrong) wrong
#else
#define KEEP_2(...) __VA_ARGS__
#define EITHER_2(right, wrong) right
#endif
#if DEFECT == 3
#define KEEP_3(...)
#define EITHER_3(right, wrong) wrong
#else
#define KEEP_3(...) __VA_ARGS__
#define EITHER_3(right, wrong) right
#endif
#define KEEP(n, ...) KEEP_##n(__VA_ARGS__)
#define EITHER(n, right, wrong) EITHER_##n(right, wrong)

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#define DEVICE static __device__ __forceinline__
#define NOINLINE static __device__ __attribute__((noinline))
#define ALIGNED(n) __attribute__((aligned(n)))
#define SMEM(p) ((unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)(p))
#define ALL 0xffffffffu
#define LANE ((int)threadIdx.x % 32)
#define WARP ((int)threadIdx.x / 32)

// --- barriers and fences ---
#define SYNCWARP() __nvvm_bar_warp_sync(ALL)
#define NAMED_SYNC(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define NAMED_ARRIVE(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define THREADFENCE() __nvvm_membar_gl()
#define FENCE_ASYNC() asm volatile("fence.proxy.async;" ::: "memory")
#define FENCE_ASYNC_SHARED() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define CLUSTER_ARRIVE() asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define CLUSTER_WAIT() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory")
DEVICE unsigned cluster_rank() { unsigned out; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(out)); return out; }
DEVICE unsigned in_block(unsigned address, unsigned rank) { unsigned out; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank)); return out; }
#define REMOTE_LOAD(out, address) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(out) : "r"(address) : "memory")
#define REMOTE_STORE(address, value) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory")
#define REMOTE_ADD(address, value) asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory")

// --- mbarriers ---
#define MBAR_INIT(bar, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SMEM(bar)), "r"(count) : "memory")
#define MBAR_FENCE() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define MBAR_EXPECT(bar, bytes) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SMEM(bar)), "r"(bytes) : "memory")
#define MBAR_ARRIVE(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SMEM(bar)) : "memory")
#define MBAR_ARRIVE_AT(bar, rank) asm volatile("{.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];}" ::"r"(SMEM(bar)), "r"(rank) : "memory")
#define MBAR_TRY(ok, bar, parity) asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(SMEM(bar)), "r"(parity) : "memory")
#define MBAR_WAIT(bar, parity) do { unsigned ok_; do MBAR_TRY(ok_, bar, parity); while (!ok_); } while (0)
#define MBAR_TRY_CLUSTER(ok, bar, parity) asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(SMEM(bar)), "r"(parity) : "memory")
#define MBAR_WAIT_CLUSTER(bar, parity) do { unsigned ok_; do MBAR_TRY_CLUSTER(ok_, bar, parity); while (!ok_); } while (0)

// --- asynchronous copies ---
#define CP_ASYNC_16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SMEM(to)), "l"(from) : "memory")
#define CP_ASYNC_4(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SMEM(to)), "l"(from) : "memory")
#define CP_ASYNC_4_ZFILL(to, from, bytes) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SMEM(to)), "l"(from), "r"(bytes) : "memory")
#define CP_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define CP_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define CP_WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
#define BULK_LOAD(to, from, bytes, bar) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SMEM(to)), "l"(from), "r"(bytes), "r"(SMEM(bar)) : "memory")
#define BULK_STORE(to, from, bytes) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SMEM(from)), "r"(bytes) : "memory")
#define BULK_TO_BLOCK(to, from, bytes, bar) asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(SMEM(from)), "r"(bytes), "r"(bar) : "memory")
#define BULK_ADD(to, from, bytes) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(SMEM(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT(n) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define BULK_WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
struct ALIGNED(64) Map { unsigned long long words[16]; };
#define TMA_LOAD_1D(to, map, x, bar) asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(SMEM(to)), "l"(map), "r"(x), "r"(SMEM(bar)) : "memory")
#define TMA_LOAD_2D(to, map, x, y, bar) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(SMEM(to)), "l"(map), "r"(x), "r"(y), "r"(SMEM(bar)) : "memory")
#define TMA_LOAD_3D(to, map, x, y, z, bar) asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(SMEM(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(SMEM(bar)) : "memory")
#define TMA_MULTICAST_2D(to, map, x, y, bar, mask) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(SMEM(to)), "l"(map), "r"(x), "r"(y), "r"(SMEM(bar)), "h"((short)(mask)) : "memory")
#define TMA_STORE_1D(map, x, from) asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];" ::"l"(map), "r"(x), "r"(SMEM(from)) : "memory")
#define TMA_STORE_2D(map, x, y, from) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(SMEM(from)) : "memory")
#define TMA_STORE_3D(map, x, y, z, from) asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(x), "r"(y), "r"(z), "r"(SMEM(from)) : "memory")
#define TMA_ADD_2D(map, x, y, from) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(SMEM(from)) : "memory")
#define MAP_RELEASE() asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory")
#define MAP_ACQUIRE(map) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory")
#define MAP_SET_ADDRESS(map, address) asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(address) : "memory")
#define MAP_SET_DIM(map, ordinal, value) asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], " #ordinal ", %1;" ::"l"(map), "r"(value) : "memory")

// --- products of warp groups: rows of 128 bytes, swizzled in groups of eight rows ---
#define SWIZZLED(row, column) ((row) * 64 + ((((column) / 8) ^ ((row) % 8)) * 8) + (column) % 8)
DEVICE unsigned long long matrix(unsigned at) { return (unsigned long long)((at & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62); }
#define WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
// The compiler must not move uses of the sums before the wait.
#define WGMMA_WAIT_FOR(n, d) asm volatile("wgmma.wait_group.sync.aligned %4;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "n"(n) : "memory")
// 64 x 8 sums of 16 products each.
#define WGMMA(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define WGMMA_REGISTERS(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory")
#define SUM_ROW(i) (16 * ((int)threadIdx.x % 128 / 32) + LANE / 4 + (i) / 2 * 8)
#define SUM_COLUMN(i) (LANE % 4 * 2 + (i) % 2)

// --- atomics on global memory ---
DEVICE unsigned atomic_add(unsigned* at, unsigned value) { unsigned out; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(out) : "l"(at), "r"(value) : "memory"); return out; }
DEVICE unsigned atomic_add_shared(unsigned* at, unsigned value) { unsigned out; asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(out) : "r"(SMEM(at)), "r"(value) : "memory"); return out; }
#define RED_ADD(at, value) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory")
#define RED_ADD_SHARED(at, value) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(SMEM(at)), "r"(value) : "memory")
#define STORE_RELEASE(at, value) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory")
#define STORE_RELAXED(at, value) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory")
DEVICE unsigned load_acquire(const unsigned* at) { unsigned out; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(out) : "l"(at) : "memory"); return out; }
DEVICE unsigned load_relaxed(const unsigned* at) { unsigned out; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(out) : "l"(at) : "memory"); return out; }

// --- warps ---
#define SHFL_DOWN(mask, value, by) __nvvm_shfl_sync_down_i32(mask, value, by, 31)
#define SHFL_UP(mask, value, by) __nvvm_shfl_sync_up_i32(mask, value, by, 0)
#define SHFL(mask, value, from) __nvvm_shfl_sync_idx_i32(mask, value, from, 31)
#define SHFL_XOR(mask, value, by) __nvvm_shfl_sync_bfly_i32(mask, value, by, 31)
#define BALLOT(mask, which) __nvvm_vote_ballot_sync(mask, which)
