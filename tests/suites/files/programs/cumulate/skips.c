  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += i < 64 ? numbers[i] : 0.5;
    if (i % every == 0) {
      printf("%ld %.12f\n", i, sum);
    }
  }
