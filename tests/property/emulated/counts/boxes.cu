// Boxes of 32 x 16 f32 of a tensor that is 64 wide, one inside of it and one half outside, and 1024 bytes in a row: by
// tensor map and bulk copy to shared memory; then the first box to another tensor.
struct __attribute__((aligned(64))) Map { unsigned long long words[16]; };
static __device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p; }
extern "C" __global__ void boxes(const Map* from, const Map* to, const float* row)
{
  __shared__ __align__(128) float first[512], second[512], third[256];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned b = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory"); // count: init
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 5120;" ::"r"(b) : "memory"); // count: expect
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(first)), "l"(from), "r"(32), "r"(8), "r"(b) : "memory"); // count: inside
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(second)), "l"(from), "r"(48), "r"(8), "r"(b) : "memory"); // count: across
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(shared_address(third)), "l"(row), "r"(b) : "memory"); // count: row
    unsigned ok;
    do {
      asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(b) : "memory");
    } while (!ok);
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(to), "r"(0), "r"(0), "r"(shared_address(first)) : "memory"); // count: back
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory"); // count: done
  }
}
