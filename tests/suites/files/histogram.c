/* Counts values; which counter an iteration adds to is known only from the data. */
void histogram(int n, const int *bin, const float *weight, float *total)
{
    for (int i = 0; i < n; i++)
        total[bin[i]] += weight[i];
}
