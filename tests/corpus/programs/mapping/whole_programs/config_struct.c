// A configuration struct is changed by the host between kernels.
struct config { float gain, offset; int clip; };

static struct config cfg;

static void amplify(float *s, int n)
{
#pragma omp target teams distribute parallel for map(to: cfg) map(tofrom: s[0:n])
    for (int i = 0; i < n; i++) {
        s[i] = s[i] * cfg.gain + cfg.offset; // or-here [bad bad2]
        if (cfg.clip && s[i] > 100)
            s[i] = 100;
    }
}

int main(void)
{
    float s[32];
    for (int i = 0; i < 32; i++)
        s[i] = (float)i;
    cfg = (struct config){2, 1, 0};
#pragma omp target enter data map(to: cfg, s)
    amplify(s, 32);
    cfg.gain = 3;
#pragma omp target update to(cfg) //@ good
#pragma omp target update from(cfg) //@ bad // expect: mapping [bad]
#pragma omp target update to(cfg.offset) //@ bad2 // or-here [bad2]
    amplify(s, 32); // expect: mapping [bad bad2]
#pragma omp target exit data map(from: s) map(delete: cfg)
    return s[1] != 10 || s[31] != 190;
}
