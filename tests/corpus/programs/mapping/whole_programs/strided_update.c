// Every second row of a matrix changes on the host.
#define R 16
#define C 8
static double m[R][C];

int main(void)
{
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            m[r][c] = r;
#pragma omp target enter data map(to: m)
    for (int r = 0; r < R; r += 2)
        for (int c = 0; c < C; c++)
            m[r][c] = -r;
    for (int r = 0; r < R; r += 2) { //@ good bad2
#pragma omp target update to(m[r:1][0:C]) //@ good bad2
    } //@ good bad2
    double sum = 0;
#pragma omp target map(tofrom: sum) // or-here [bad]
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            sum += m[r][c]; // expect: mapping [bad]
    for (int r = 0; r < R; r++) //@ bad2
        m[r][0] = 5; //@ bad2 // or-here [bad2]
#pragma omp target exit data map(delete: m) //@ good bad
#pragma omp target exit data map(from: m) //@ bad2 // expect: mapping [bad2]
    return sum != 8 * 8.0 || (m[1][0] != 1 && m[1][0] != 5) || (m[0][0] == 0 && m[1][0] == 5);
}
