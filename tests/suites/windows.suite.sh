# Convolutions and pooling: every step fits what came before, and the last product passes the gate in full, on hidden sizes,
# but for two that are like others.
# shellcheck shell=bash

# In f64. All orders of all steps in both types are a unit test of the engine.
windows_pass_in_f64() {
  fresh_kernel "$1" "$1"
  sed -i 's/"f32"/"f64"/g' "$1/kernel.toml"
  climbs_and_passes "$@"
}

test_convolution() {
  windows_pass_in_f64 conv2d "--size ci=8,co=16,h=24,w=24" vectorize-windows tile-channels pack-windows block-windows
}
test_convolution_with_bias() {
  climbs "$ROOT/kernels/conv2d-bias-relu" "--size ci=8,co=16,h=24,w=24" vectorize-windows tile-channels pack-windows
}
test_convolution_as_a_product() {
  climbs_and_passes "$ROOT/kernels/conv2d" "--size ci=8,co=16,h=24,w=24" vectorize-windows tile-channels pack-windows join-rows
}
test_depthwise() { climbs_and_passes "$ROOT/kernels/conv2d-depthwise" "--size ch=8,h=24,w=24" vectorize-windows block-windows pack-windows; }
test_maximum() { windows_pass_in_f64 max-pool "--size ch=8,h=24,w=24" vectorize-windows pack-windows block-windows; }
test_mean() { climbs "$ROOT/kernels/avg-pool" "--size ch=8,h=24,w=24" vectorize-windows block-windows; }

test_what_does_not_fit_is_refused_with_the_reason() {
  specialised_kernel max-pool max-pool
  expect_status 4 hone apply max-pool pack-windows start --size ch=8,h=24,w=24
  expect_err "vectorize-windows"
  specialised_kernel softmax softmax
  expect_status 4 hone apply softmax vectorize-windows start --size m=64,n=64
  expect_err "vectorize-windows is for a convolution or pooling"
}

# The gate sees what is easily done wrong at a border: lanes that do not count are zeros, and win against negative numbers.
test_forgotten_lanes_are_seen() {
  fresh_kernel max-pool kernel
  climbs kernel "--size ch=8,h=24,w=24" vectorize-windows
  mv product wrong
  cp wrong/device.cpp before
  sed -i -E 's/(^ *|, )-INFINITY\)/\10)/' wrong/device.cpp
  if cmp -s before wrong/device.cpp; then fail "nothing was changed"; fi
  expect_status 1 hone run wrong --kernel kernel --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$(json "j['status'], j['reason']")"
}
