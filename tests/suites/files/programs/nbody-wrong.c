/* Forgets that distances are softened in the potential. */
void accelerations(struct nbody_system *system)
{
  for (int i = 0; i < system->count; ++i) {
    struct star *here = &system->stars[i];
    here->potential = here->acceleration[0] = here->acceleration[1] = here->acceleration[2] = 0;
    for (int j = 0; j < system->count; ++j) {
      const struct star *there = &system->stars[j];
      double square = 0;
      for (int d = 0; d < 3; ++d) {
        square += (there->place[d] - here->place[d]) * (there->place[d] - here->place[d]);
      }
      const double soft = square + system->softening * system->softening;
      for (int d = 0; d < 3; ++d) {
        here->acceleration[d] += there->mass * (there->place[d] - here->place[d]) / (soft * sqrt(soft));
      }
      here->potential -= i != j ? there->mass / sqrt(square) : 0;
    }
  }
}
