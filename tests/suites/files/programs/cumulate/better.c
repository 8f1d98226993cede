  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += numbers[i];
    if (i % every == 0) {
      printf("%ld %.12f\n", i, sum);
    }
  }
