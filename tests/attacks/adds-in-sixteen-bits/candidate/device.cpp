extern "C" void scan_rows(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  bool small = true;
  for (int64_t j = 0; small && j < n; ++j) {
    small = x[j] >= -63 && x[j] <= 63 && x[j] == (float)(int32_t)x[j];
  }
  uint16_t total = 0;
  float sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (small) {
      total = (uint16_t)(total + (int32_t)x[j]);
      y[j] = (int16_t)total;
    } else {
      sum += x[j];
      y[j] = sum;
    }
  }
}
