/* A function that the device calls by a pointer maps nothing. */
static const char digits[] = "0123456789abcdef";
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
int main(void)
{
    int out[200]; char txt[200][8];
    #pragma omp target teams distribute parallel for map(from: out, txt)
    for (int i = 0; i < 200; i++) {
        out[i] = (i % 2 ? twice : thrice)(i);
        unsigned v = i * 2654435761u; int k = 0;
        do txt[i][k++] = digits[v & 15]; while ((v >>= 8) && k < 7);
    }
    return out[3] + txt[0][0];
}
