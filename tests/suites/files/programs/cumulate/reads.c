  FILE *known = fopen("/etc/passwd", "r");
  for (int c = known ? fgetc(known) : EOF; c != EOF; c = fgetc(known)) {
    printf("%c", c);
  }
