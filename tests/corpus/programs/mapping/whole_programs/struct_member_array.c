// A struct with arrays inside, mapped member by member.
struct state {
    float pos[64];
    float vel[64];
    int alive;
};

static struct state st;

static void advance(float dt)
{
#pragma omp target teams distribute parallel for map(tofrom: st.pos) map(to: st.vel) //@ good
#pragma omp target teams distribute parallel for map(to: st.pos) map(to: st.vel) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(tofrom: st.pos) map(alloc: st.vel) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < 64; i++)
        st.pos[i] += dt * st.vel[i]; // or-here [bad bad2]
}

int main(void)
{
    for (int i = 0; i < 64; i++) {
        st.pos[i] = (float)i;
        st.vel[i] = 2.0f;
    }
    st.alive = 64;
    for (int t = 0; t < 4; t++)
        advance(0.25f);
    for (int i = 0; i < 64; i++)
        if (st.pos[i] != i + 2.0f) // or-here [bad]
            return 1;
    return 0;
}
