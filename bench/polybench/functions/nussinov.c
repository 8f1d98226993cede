// hone: --size n=400 --domain seq=0,3
// The largest number of pairs in a folded strand of RNA; bases are 0 to 3, two pair if they add up to 3.
#define LARGER(a, b) ((a) >= (b) ? (a) : (b))
void nussinov(int n, const signed char seq[n], int table[n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      table[i][j] = LARGER(table[i][j], table[i][j - 1]);
      if (i + 1 < n) {
        table[i][j] = LARGER(table[i][j], table[i + 1][j]);
        if (i < j - 1)
          table[i][j] = LARGER(table[i][j], table[i + 1][j - 1] + (seq[i] + seq[j] == 3 ? 1 : 0));
        else
          table[i][j] = LARGER(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = LARGER(table[i][j], table[i][k] + table[k + 1][j]);
    }
}
