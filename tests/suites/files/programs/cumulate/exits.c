  printf("0 %.12f\n", numbers[0]);
  exit(0);
