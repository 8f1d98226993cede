# Climbs that somebody else's answers carried: each step again from the requests of today's prompts. The last product
# passes the gate in full, of some kernels here and of all in tests/long/recorded_climbs.sh.
# shellcheck shell=bash

# climbs_again SEQUENCE BACKEND SIZES...: a folder of examples/recorded, with its kernel or beside a shipped one.
climbs_again() {
  local folder=$ROOT/examples/recorded/$1 backend=$2 kernel=${1%%-"$2"*} from=start step size
  local whole=$folder sizes=(--backend "$backend")
  shift 2
  for size in "$@"; do sizes+=(--size "$size"); done
  if [[ -e $folder/kernel.toml ]]; then
    mkdir "$kernel"
    cp "$folder/kernel.toml" "$kernel"
  else
    fresh_kernel "$kernel" "$kernel"
    whole=$ROOT/kernels/$kernel
  fi
  specialise "$kernel"
  while IFS= read -r step; do
    apply_to_last "$kernel" "$step" "${sizes[@]}" --model "scripted:$folder/script.toml"
    [[ $(json "j['record']['engine']") == model ]] || fail "$step: $out"
  done <"$folder/steps"
  expect_status 0 hone checkout "$kernel" "$from" --out product "${sizes[@]}"
  [[ ! -e product/schedule.toml ]] || fail "the built-in engine took part"
  [[ -n ${HONE_ALL_CLIMBS:-} || $kernel-$backend != @(matmul-i8-cpu|rms-norm-cpu|matmul-opencl) ]] || return 0
  product_passes "$whole" "${sizes[@]}"
}

on_opencl() {
  opencl_is_here || return 0
  climbs_again "$1" opencl "${@:2}"
}

test_matmul() { climbs_again matmul-cpu cpu m=100 n=88 k=72; }
test_matmul_of_bytes() { climbs_again matmul-i8-cpu cpu m=50 n=88 k=72; }
test_rms_norm() { climbs_again rms-norm-cpu cpu n=30 d=200; }
test_a_kernel_that_is_not_shipped() { climbs_again rms-norm-rotary-cpu cpu n=30 d=100; }
test_softmax_on_opencl() { on_opencl softmax-opencl m=30 n=200; }
test_matmul_by_steps_of_the_catalogue_on_opencl() { on_opencl matmul-opencl-2 m=100 n=88 k=72; }

# The others take ten minutes: tests/long/recorded_climbs.sh.
if [[ -n ${HONE_ALL_CLIMBS:-} ]]; then
  test_matmul_in_another_order() { climbs_again matmul-cpu-2 cpu m=50 n=88 k=72; }
  test_matmul_packed_in_passing() { climbs_again matmul-cpu-3 cpu m=100 n=83 k=72; }
  test_matmul_of_doubles() { climbs_again matmul-f64-cpu cpu m=100 n=83 k=72; }
  test_matmul_batched() { climbs_again matmul-batched-cpu cpu b=2 m=30 n=40 k=72; }
  test_matmul_with_bias() { climbs_again matmul-bias-relu-cpu cpu m=50 n=88 k=72; }
  test_attention_scores() { climbs_again attention-scores-cpu cpu b=2 s=40 t=72 d=64; }
  test_convolution() { climbs_again conv2d-cpu cpu b=1 ci=8 co=16 h=24 w=24; }
  test_maximum() { climbs_again max-pool-cpu cpu b=1 ch=8 h=24 w=24; }
  test_layer_norm() { climbs_again layer-norm-cpu cpu n=30 d=200; }
  test_softmax() { climbs_again softmax-cpu cpu m=30 n=200; }
  test_running_sums() { climbs_again cumulative-sum-cpu cpu m=30 n=200; }
  test_gelu() { climbs_again gelu-cpu cpu n=5000; }
  test_matmul_on_opencl() { on_opencl matmul-opencl m=100 n=88 k=72; }
  test_matmul_with_bias_on_opencl() { on_opencl matmul-bias-relu-opencl m=50 n=88 k=72; }
  test_matmul_by_steps_again_on_opencl() { on_opencl matmul-opencl-3 m=100 n=88 k=72; }
  test_matmul_of_bytes_in_three_steps() { # whose author wrote AVX-512
    grep -q avx512_vnni /proc/cpuinfo || { echo "    skipped: no AVX-512 VNNI here" && return 0; }
    climbs_again matmul-i8-cpu-2 cpu m=50 n=88 k=72
  }
  test_matmul_of_bytes_by_helpers() { climbs_again matmul-i8-cpu-3 cpu m=50 n=88 k=72; }
  test_matmul_of_bf16() { climbs_again matmul-bf16-cpu cpu m=50 n=88 k=72; }
  test_matmul_in_three_steps_on_opencl() { on_opencl matmul-opencl-5 m=100 n=88 k=72; }
  test_matmul_without_local_memory_on_opencl() { on_opencl matmul-opencl-4 m=100 n=88 k=72; }
  test_softmax_by_steps_again_on_opencl() { on_opencl softmax-opencl-3 m=30 n=200; }
  test_rms_norm_on_opencl() { on_opencl rms-norm-opencl n=30 d=200; }
  test_softmax_by_steps_on_opencl() { on_opencl softmax-opencl-2 m=30 n=200; }
  test_rms_norm_by_steps_on_opencl() { on_opencl rms-norm-opencl-2 n=30 d=200; }
  test_matmul_with_bias_by_steps_on_opencl() { on_opencl matmul-bias-relu-opencl-2 m=50 n=88 k=72; }
  test_attention_scores_on_opencl() { on_opencl attention-scores-opencl b=2 s=40 t=72 d=64; }
  test_gelu_on_opencl() { on_opencl gelu-opencl n=5000; }
fi
