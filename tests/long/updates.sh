#!/usr/bin/env bash
# updates.sh HONE [SEEDS]: right candidates of kernels that update an output (role inout) pass the gate in full, on the hidden
# sizes and values of SEEDS seeds (default 200) shared among all of them. Sums of updates round like any others: where a seed
# takes one beyond its bounds, control loops must be asked. Prints a line per candidate; ends with 1 when one was refused.
set -uo pipefail
hone=${1:?usage: updates.sh HONE [SEEDS]}
seeds=${2:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# kernel NAME EXPRESSION SIZES ARGUMENTS
kernel() {
  mkdir "$1"
  printf '[kernel]\nname = "%s"\n[compute]\nexpr = "%s"\n[arguments]\n%s\n[sizes]\ntimed = [ { %s } ]\n' "$1" "$2" "$4" "$3" >"$1/kernel.toml"
}

square='A = { type = "f32", shape = ["n", "k"] }
C = { type = "f32", shape = ["n", "n"], role = "inout" }'
product='A = { type = "f32", shape = ["m", "k"] }
B = { type = "f32", shape = ["k", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "inout" }'
scalars='alpha = { type = "f32" }
beta = { type = "f32" }'
kernel added "C[i,j] = C[i,j] + sum(p, A[i,p] * A[j,p])" "n = 64, k = 128" "$square"
kernel triangle "C[i,j] = select(j <= i, sum(p, A[i,p] * A[j,p]), C[i,j])" "n = 64, k = 128" "$square"
kernel scaled "C[i,j] = alpha * sum(p, A[i,p] * B[p,j]) + beta * C[i,j]" "m = 48, n = 64, k = 128" "$product
$scalars"
kernel subtracted "C[i,j] = C[i,j] - sum(p, A[i,p] * B[p,j])" "m = 48, n = 64, k = 128" "$product"
kernel rows "y[i] = y[i] + sum(j, square(X[i,j]))" "m = 64, n = 256" 'X = { type = "f32", shape = ["m", "n"] }
y = { type = "f32", shape = ["m"], role = "inout" }'

# The product is added to memory term by term, after the old values were scaled.
cat >update.c <<'C'
void update(int m, int n, int k, float alpha, const float *A, const float *B, float beta, float *C)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            C[i * n + j] *= beta;
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += alpha * A[i * k + p] * B[p * n + j];
    }
}
C
cat >symmetric.c <<'C'
void symmetric(int n, int k, const float *A, float *C)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            for (int p = 0; p < k; ++p)
                C[i * n + j] += A[i * k + p] * A[j * k + p];
}
C
bad=0
for file in update symmetric; do
  "$hone" new --from "$file.c" --name "own-$file" --out "own-$file" >"$file.log" 2>&1 || {
    echo "NO KERNEL from $file.c: $(tail -n 3 "$file.log")"
    bad=1
  }
done

folders=(*/)
each=$(((seeds + ${#folders[@]} - 1) / ${#folders[@]}))
for folder in "${folders[@]%/}"; do
  candidate=(--naive)
  [[ -d $folder/start/cpu ]] && candidate=("$folder/start/cpu")
  passed=0 asked=0
  for ((seed = 1; seed <= each; seed++)); do
    out=$("$hone" run "${candidate[@]}" --kernel "$folder" --no-timing --seed "$seed" --json 2>&1)
    [[ $out == *"a little beyond"* ]] && asked=$((asked + 1))
    if [[ $(python3 -c 'import json, sys; print(json.load(sys.stdin)["status"])' <<<"$out" 2>/dev/null) == correct ]]; then
      passed=$((passed + 1))
    else
      bad=$((bad + 1))
      echo "REFUSED: $folder, seed $seed: $out"
    fi
  done
  echo "$folder: $passed of $each, $asked of them after control loops were asked"
done
exit $((bad > 0))
