// A large table with declare target link: it exists on the device only while it is mapped.
#define SIZE 512
float table[SIZE];
#pragma omp declare target link(table)

static float lookup(int i) { return table[i % SIZE]; }
#pragma omp declare target to(lookup)

static void load(void)
{
    for (int i = 0; i < SIZE; i++)
        table[i] = 0.5f * i;
#pragma omp target enter data map(to: table) //@ good bad2
#pragma omp target enter data map(alloc: table) //@ bad // or-here [bad]
}

int main(void)
{
    float out[64];
    load();
#pragma omp target teams distribute parallel for map(from: out) // expect: mapping [bad]
    for (int i = 0; i < 64; i++)
        out[i] = lookup(3 * i); // or-here [bad]
#pragma omp target exit data map(delete: table)
    int bad = 0;
    for (int i = 0; i < 64; i++)
        bad |= out[i] != 0.5f * (3 * i % SIZE);
    for (int i = 0; i < SIZE; i++) //@ bad2
        table[i] = 1.0f; //@ bad2
#pragma omp target update to(table) //@ bad2 // expect: mapping [bad2]
    return bad;
}
