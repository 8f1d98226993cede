void rope_halves(int tokens, int heads, int dim, const float *cosine, const float *sine, float *x)
{
  for (int t = 0; t < tokens; t++)
    for (int h = 0; h < heads; h++)
      for (int i = 0; i < dim / 2; i++) {
        float *v = x + (t * heads + h) * dim;
        float a = v[i], b = v[i + dim / 2];
        float c = cosine[t * (dim / 2) + i], s = sine[t * (dim / 2) + i];
        v[i] = a * c - b * s;
        v[i + dim / 2] = a * s + b * c;
      }
}
