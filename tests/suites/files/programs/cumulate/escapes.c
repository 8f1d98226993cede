  free(numbers);
  return 0;
}

__attribute__((constructor)) static void before(void)
{
  double *numbers = NULL;
