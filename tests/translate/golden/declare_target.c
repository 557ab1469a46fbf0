/* ompls_declare_target_55000b_evaluate_0: kernel of class default, generated from examples/declare_target.c */
struct body {
    double mass;
    double position[3];
    double energy;
};
__attribute__((weak)) int *__ompls_g_evaluations;
__attribute__((weak)) double *__ompls_g_gravity;
static double height_of(const struct body *b);
static double potential_energy(const struct body *b);
#define N 2000
static double height_of(const struct body *b)
{
    return b->position[2];
}
static double potential_energy(const struct body *b)
{
    return b->mass * (*__ompls_g_gravity) * height_of(b);
}
void ompls_declare_target_55000b_evaluate_0(void **ompls_params)
{
    struct body (*bodies)[2000] = *(struct body (**)[2000])ompls_params[0];
#pragma omp target teams distribute parallel for if(target: 0)
    for (int i = 0; i < N; i++) {
        (*bodies)[i].energy = potential_energy(&(*bodies)[i]);
#pragma omp atomic
        (*__ompls_g_evaluations)++;
    }
}

/* Laid out as on the host */
_Static_assert(sizeof(struct body) == 40 && _Alignof(struct body) == 8
    && __builtin_offsetof(struct body, mass) == 0 && __builtin_offsetof(struct body, position) == 8
    && __builtin_offsetof(struct body, energy) == 32,
    "the layout of struct body differs between host and kernels");
