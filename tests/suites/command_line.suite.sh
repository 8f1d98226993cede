# What a newcomer meets: help, mistakes, settings, new kernels.
# shellcheck shell=bash

test_help_names_every_command_and_the_exit_statuses() {
  expect_status 0 hone --help
  for command in optimize resume run tune apply compare check inputs lint new log show diff checkout ship branch verify replay mutate report open transforms device \
    doctor fsck config completion man; do
    expect_out "$command"
  done
  expect_out "Exit status"
  expect_status 0 hone optimize --help
  expect_out "Examples:"
}

test_inputs_are_listed_and_can_be_chosen_by_name() {
  expect_status 0 hone inputs
  expect_out "large/around-a-middle"
  expect_status 0 hone inputs --json
  expect_out '"guard-thresholds"'
  expect_status 2 hone run --naive --kernel softmax --values large/around-a-midle
  expect_err "did you mean 'large/around-a-middle'"
  expect_status 2 hone run --naive --kernel softmax --size-kind fartest
  expect_err "did you mean 'farthest'"
}

test_tune_names_its_strategies() {
  expect_status 0 hone tune --help
  for word in racing local-search annealing genetic random exhaustive --export-cache; do
    expect_out "$word"
  done
}

test_wrong_arguments_are_a_usage_error() {
  expect_status 2 hone
  expect_status 2 hone optimise
  expect_err "has no command 'optimise'"
  expect_err "did you mean 'optimize'?"
  expect_status 2 hone optimize kernels/matmul --bugdet 3
  expect_err "did you mean '--budget'?"
  expect_status 2 hone optimize "$ROOT/kernels/matmul" --strategy foo
  expect_err "--strategy: there is no strategy 'foo'"
  expect_status 2 hone optimize "$ROOT/kernels/matmul" --budget -5
  expect_err "--budget: budget must be 1 or more"
  expect_status 2 hone optimize
  expect_status 2 hone compare a b
  expect_status 2 hone run --naive --kernel "$ROOT/kernels/matmul" --size q=3
  expect_err "has no size 'q'"
  expect_status 2 hone run --naive --kernel "$ROOT/kernels/matmul" --size m=zero
  expect_err "write sizes as"
}

test_threads_are_counted_against_the_cpus() {
  expect_status 2 hone run --naive --kernel "$ROOT/kernels/matmul" --no-timing --threads 100000
  expect_err "100000 threads need a CPU each"
  expect_err "hint: give --threads"
  expect_status 2 hone run --naive --kernel "$ROOT/kernels/matmul" --no-timing --threads 0
  expect_err "--threads: a candidate cannot run on 0 threads"
}

test_output_that_is_not_taken_ends_nothing() {
  specialised_kernel matmul matmul
  local run=(hone run --naive --kernel matmul --size "m=8,n=8,k=8" --no-timing) status=0
  "${run[@]}" 2>err | true || fail "a reader that had enough: $(<err)"
  [[ ! -s err ]] || fail "it complains: $(<err)"
  "${run[@]}" >/dev/full 2>err || status=$?
  [[ $status == 4 ]] || fail "a full disk: $status"
  grep -q "No space left on device" err || fail "$(<err)"
  "${run[@]}" 2>/dev/full >out || fail "nobody reads the notes"
  grep -q correct out || fail "$(<out)"
}

test_check_says_where_and_what() {
  mkdir broken
  sed 's/sum(k,/sun(k,/' "$ROOT/kernels/matmul/kernel.toml" >broken/kernel.toml
  expect_status 1 hone check broken
  expect_out "broken/kernel.toml:"
  expect_out "sum"
  expect_status 1 hone check broken --json
  [[ $(json "len(j['mistakes']) > 0 and j['mistakes'][0]['line'] > 0 and j['mistakes'][0]['column'] > 0") == True ]] ||
    fail "no place in JSON"
}

test_check_explains_a_right_kernel() {
  expect_status 0 hone check "$ROOT/kernels/matmul" --json
  [[ $(json "j['class']") == contraction ]] || fail "class"
  [[ $(json "j['flops']") == 2147483648.0 ]] || fail "flops"
  expect_status 0 hone check matmul
}

test_check_prints_schemas_for_editors() {
  expect_status 0 hone check --schema
  [[ $(json "sorted(j)") == "['config', 'kernel', 'launch', 'steps', 'transformation']" ]] || fail "kinds"
  for kind in kernel launch transformation steps config; do
    expect_status 0 hone check --schema $kind
    [[ $(json "j['\$schema']") == https://json-schema.org/draft/2020-12/schema ]] || fail "$kind has no draft"
  done
  expect_status 2 hone check --schema kernle
  expect_err "kernel"
  expect_status 2 hone check
  expect_err "either a kernel or --schema"
  expect_status 2 hone check "$ROOT/kernels/matmul" --schema kernel
}

test_missing_kernel_names_the_path() {
  expect_status 4 hone run --naive --kernel ./nowhere
  expect_err "nowhere"
}

test_new_writes_a_kernel_and_does_not_overwrite() {
  expect_status 0 hone new --expr "C[m,n] = sum(k, A[m,k] * B[k,n])" --name mine --size m=64 --type A=f64 --type B=f64 --type C=f64
  expect_out "mine/kernel.toml"
  expect_status 0 hone check mine
  expect_out "f64"
  expect_status 2 hone new --expr "C[m,n] = sum(k, A[m,k] * B[k,n])" --name mine
  expect_err "exists already"
}

test_new_reports_a_mistake_in_the_expression() {
  expect_status 2 hone new --expr "C[m,n] = sum(k, A[m,k] * " --name mine
  [[ ! -e mine ]] || fail "a broken kernel was written"
}

test_config_shows_where_a_value_came_from() {
  mkdir -p "$XDG_CONFIG_HOME/hone" project
  echo 'budget = 50' >"$XDG_CONFIG_HOME/hone/config.toml"
  expect_status 0 hone config --json
  [[ $(json "[s['origin'] for s in j['settings'] if s['name'] == 'budget'][0]") == *config.toml ]] || fail "user file"
  echo 'budget = 60' >hone.toml
  expect_status 0 hone config
  expect_out "60"
  HONE_BUDGET=70 expect_status 0 hone config
  expect_out "environment HONE_BUDGET"
  echo 'bugdet = 60' >hone.toml
  expect_status 2 hone config
  expect_err "did you mean 'budget'"
}

test_transformations_are_listed_shown_and_checked() {
  expect_status 0 hone transforms list --json
  (($(json "len(j['transformations'])") >= 8)) || fail "fewer than eight"
  expect_status 0 hone transforms show cache-tiling
  expect_out "TILE_M"
  expect_status 2 hone transforms show
  expect_status 0 hone transforms check "$ROOT/transformations/cache-tiling.md"
  sed 's/^intent/intnet/' "$ROOT/transformations/cache-tiling.md" >broken.md
  expect_status 1 hone transforms check broken.md
  expect_out "intent"
}

test_doctor_finds_this_machine_sound() {
  expect_status 0 hone doctor --json
  [[ $(json "j['sound']") == True ]] || fail "not sound"
}
