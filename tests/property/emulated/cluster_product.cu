// C = A B in f16 with f32 sums, for a cluster of two blocks, one above the other: each has 64 x 64 results. Boxes of A and
// B come by tensor maps into four stages; each block brings one half of the slice of B to both. A producer warp, and a
// warp group that multiplies; the results go back by a tensor map too. m must be a multiple of 128, n and k of 64.
// NO_OTHER_EMPTY: a stage is filled though the other block still reads it. NO_FENCE: the results are not shown to the
// asynchronous proxy. MAP_REWRITTEN: A's map changes while copies use it. NO_CLUSTER_BARRIER: nobody
// waits for the other block's barriers to be there. WRONG_BYTES: more bytes are expected than come. EARLY_RELEASE: a stage
// is given back while products read it.
#define STAGES 4
#define STAGE_BYTES 16384
struct __attribute__((aligned(64))) Map { unsigned long long words[16]; };
__device__ inline unsigned shared_address(const void* p) { return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p; }
__device__ inline unsigned long long matrix(unsigned at) { return (unsigned long long)((at & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62); }
__device__ inline void wait(unsigned barrier, unsigned parity)
{
  unsigned ok;
  do asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(barrier), "r"(parity) : "memory"); while (!ok);
}
__device__ inline void arrive_at_block(unsigned barrier, unsigned rank)
{
  asm volatile("{.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];}" ::"r"(barrier), "r"(rank) : "memory");
}
extern __shared__ char dynamic[];
extern "C" __global__ void __launch_bounds__(160) product(Map* maps, int tiles)
{
  __shared__ __align__(8) unsigned long long full[STAGES], empty[STAGES];
  const unsigned base = (shared_address(dynamic) + 1023) & ~1023u, results = base + STAGES * STAGE_BYTES;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const int tid = threadIdx.x, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
  if (tid == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
#ifdef NO_OTHER_EMPTY
      asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(shared_address(&empty[s])));
#else
      asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(shared_address(&empty[s])));
#endif
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
#ifdef NO_CLUSTER_BARRIER
  __syncthreads();
#else
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
#endif
  if (tid >= 128) {
    if (tid == 128) {
      for (int t = 0; t < tiles; ++t) {
        const int s = t % STAGES;
        if (t >= STAGES) wait(shared_address(&empty[s]), ((t / STAGES) & 1) ^ 1);
#ifdef WRONG_BYTES
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(STAGE_BYTES + 16) : "memory");
#else
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(STAGE_BYTES) : "memory");
#endif
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(base + s * STAGE_BYTES), "l"(&maps[0]), "r"(t * 64), "r"(i0), "r"(shared_address(&full[s])) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(base + s * STAGE_BYTES + 8192 + rank * 4096), "l"(&maps[1]), "r"(j0), "r"(t * 64 + (int)rank * 32), "r"(shared_address(&full[s])), "h"((short)3) : "memory");
      }
#ifdef MAP_REWRITTEN
      asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, %1;" ::"l"(&maps[0]), "r"(64) : "memory");
#endif
    }
  } else {
    float d[32];
    for (int i = 0; i < 32; ++i) d[i] = 0;
    for (int t = 0; t < tiles; ++t) {
      const int s = t % STAGES;
      wait(shared_address(&full[s]), (t / STAGES) & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int kk = 0; kk < 4; ++kk)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 1;\n"
          : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),
            "+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
          : "l"(matrix(base + s * STAGE_BYTES + kk * 32)), "l"(matrix(base + s * STAGE_BYTES + 8192 + kk * 2048)));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef EARLY_RELEASE
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
      if (tid % 32 == 0) {
        arrive_at_block(shared_address(&empty[s]), rank);
#ifndef NO_OTHER_EMPTY
        arrive_at_block(shared_address(&empty[s]), rank ^ 1);
#endif
      }
      __nvvm_bar_warp_sync(~0u);
#ifdef EARLY_RELEASE
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    }
    const int lane = tid % 32;
    for (int i = 0; i < 32; ++i) {
      const int row = 16 * (tid / 32) + lane / 4 + (i / 2 % 2) * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      asm volatile("st.shared.f32 [%0], %1;" ::"r"(results + (row * 64 + column) * 4), "f"(d[i]) : "memory");
    }
#ifndef NO_FENCE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (tid == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&maps[2]), "r"(j0), "r"(i0), "r"(results) : "memory");
    }
  }
  __nvvm_bar_warp_sync(~0u);
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); // nobody leaves while others reach it
}
