# shellcheck shell=bash
# Performance tools: reports within their bounds, the same twice, and what is said where one cannot look.

# Would catch: a loop that is not vectorised called vectorised, a report that differs from run to run, or JSON that says
# something else than the text.
test_reports_say_what_the_compiler_made_of_the_loops() {
  specialised_kernel matmul mm
  expect_status 0 hone profile mm naive --tool compile-report --tool instructions
  expect_out "loops are vectorised"
  expect_out "device.cpp:"
  first=$out
  expect_status 0 hone profile mm naive --tool compile-report --tool instructions
  [[ $out == "$first" ]] || fail "another report: $out"
  XDG_CACHE_HOME=$PWD/empty expect_status 0 hone profile mm naive --tool compile-report --tool instructions
  [[ $out == "$first" ]] || fail "another report without the kept one: $out"
  expect_status 0 hone profile mm naive --tool instructions --json
  [[ $(json "j['reports'][0]['tool']") == instructions ]] || fail "$out"
  [[ $first == *"$(json "j['reports'][0]['diagnosis'][0]")"* ]] || fail "JSON says something else: $out"
}

# Would catch: a report beyond its bound, or arguments that nobody reads.
test_reports_are_bounded_and_take_arguments() {
  specialised_kernel softmax rows
  expect_status 0 hone profile rows naive --tool instructions --tokens 150
  ((${#out} < 460)) || fail "more than 150 tokens: ${#out} bytes"
  expect_status 0 hone profile rows naive --tool instructions --with instructions.lines=2 --json
  [[ $(json "len(j['reports'][0]['tables'][1]['rows'])") == 2 ]] || fail "$out"
  expect_status 2 hone profile rows naive --with instructions.rows=2
  expect_err "takes no argument 'rows'"
  expect_status 2 hone profile rows naive --tool instrctions
  expect_err "did you mean 'instructions'"
}

# Would catch: a tool that is silent about why it cannot look, or a candidate that does not build taken for one without
# loops.
test_what_cannot_be_looked_at_is_named() {
  specialised_kernel softmax rows
  expect_status 0 hone checkout rows naive --out broken
  echo "no C" >>broken/device.cpp
  expect_status 4 hone profile rows ./broken --tool instructions
  expect_out "does not build: device.cpp:"
  expect_status 4 hone profile rows naive --tool instructions --backend opencl
  expect_out "shows no compiled code"
  expect_status 0 hone tools instructions
  expect_out "lines=24"
  expect_status 2 hone tools nothing
}

# Would catch: a walk down the columns that is blamed on something else, or steps that cannot be carried out here.
test_a_plain_product_is_bound_by_the_walk_down_the_columns() {
  specialised_kernel matmul mm
  expect_status 0 hone profile mm naive --tool explain --size m=96,n=512,k=256 --json
  [[ $(json "j['reports'][0]['diagnosis'][0]") == "strided access: B at device.cpp:"* ]] || fail "$out"
  [[ $(json "'reorder-loops' in j['reports'][0]['tables'][0]['rows'][0][2]") == True ]] || fail "$out"
  expect_status 0 hone profile mm naive --tool memory --with memory.lines=2 --size m=96,n=512,k=256 --json
  [[ $(json "j['reports'][0]['tables'][1]['rows'][0][1]") == B ]] || fail "$out"
  # 96 * 512 * 256 products, each with another line of B.
  [[ $(json "j['reports'][0]['tables'][1]['rows'][0][2]") == 12582912 ]] || fail "$out"
}

# Would catch: numbers of the two candidates exchanged, a difference that is not seen, or one that is made up.
test_two_candidates_are_compared() {
  specialised_kernel matmul mm
  expect_status 0 hone checkout mm naive --out other
  sed -i 's/sum += A\[i \* k + p\] \* B\[p \* n + j\]/sum += 2 * A[i * k + p] * B[p * n + j] * 0.5f/' other/device.cpp
  grep -q "0.5f" other/device.cpp || fail "the plain loops look otherwise"
  expect_status 0 hone profile mm naive --against ./other --tool compare --size m=24,n=32,k=40 --json
  [[ $(json "any('of the time of ./other' in s for s in j['reports'][0]['diagnosis'])") == True ]] || fail "$out"
  [[ $(json "'/diagnosis/0' in j['reports'][0]['measured']") == True ]] || fail "$out"
  [[ $(json "[t['title'] for t in j['reports'][0]['tables']][:2]") == "['memory', 'a round of the hot loop']" ]] || fail "$out"
  [[ $(json "[r[0] for r in j['reports'][0]['tables'][2]['rows']].count('-') > 0") == True ]] || fail "no difference: $out"
  expect_status 0 hone profile mm naive --against naive --tool compare --size m=24,n=32,k=40
  expect_out "the two hot loops are the same"
  expect_status 4 hone profile mm naive --tool compare
  expect_out "add --against CANDIDATE"
}

# Would catch: counts of another backend's device, or of no device at all.
test_memory_is_counted_on_devices_too() {
  cuda_is_here || return 0
  specialised_kernel matmul mm
  expect_status 0 hone profile mm naive --tool memory --backend cuda --size m=16,n=32,k=40 --json
  [[ $(json "{v['name']: v['value'] for v in j['reports'][0]['values']}['loads']") == $((2 * 16 * 32 * 40)) ]] || fail "$out"
  [[ $(json "{r[1]: r[3] for r in j['reports'][0]['tables'][1]['rows']}['B']") == $((16 * 40)) ]] || fail "requests: $out"
  expect_status 0 hone profile mm naive --tool timeline --backend cuda --size m=16,n=32,k=40
  expect_out "1 launch of 8 groups in all"
}

# Would catch: a file that nobody can read taken for a report without kernels.
test_exports_of_profilers_are_read() {
  printf '%s\n' '==PROF== Connected' '"ID","Kernel Name","gpu__time_duration.sum"' '"","","us"' '"0","run(float *, int)","12.5"' >report.csv
  expect_status 0 hone profile --import report.csv
  expect_out "run(float *, int) takes 100 % of the time"
  echo "a,b" >other.csv
  expect_status 2 hone profile --import other.csv
  expect_err "--page raw"
  expect_status 2 hone profile
  expect_err "--import FILE"
}
