/* `teams distribute` over rows, with parallel loops and scalar code in each: run SPMD where nobody can tell. */
#include <math.h>
#include <stdlib.h>

#include "expect.h"

static const int sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 64, 100, 127, 128, 129, 300, 513};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double value(int k) { return (k * 37 % 101) - 50; }

/* Two loops with a mean between them; then the largest deviation, which only one thread stores. */
static void centre(int n, int m)
{
    double *a = malloc((n * m + 1) * sizeof *a), *b = malloc((n * m + 1) * sizeof *b);
    double *most = calloc(n + 1, sizeof *most), total = 0, all = 0;
    for (int k = 0; k < n * m; k++)
        a[k] = b[k] = value(k);
#pragma omp target teams distribute map(tofrom : a[0 : n * m], most[0 : n + 1]) reduction(+ : total)
    for (int i = 0; i < n; i++) {
        double s = 0, largest = 0;
        long count = 0;
#pragma omp parallel for reduction(+ : s, count)
        for (int j = 0; j < m; j++) {
            s += a[i * m + j];
            count++;
        }
        double mean = count ? floor(s / count) : 0;
        if (mean < 0)
            mean = -mean;
#pragma omp parallel for reduction(max : largest)
        for (int j = 0; j < m; j++) {
            a[i * m + j] -= mean;
            largest = fabs(a[i * m + j]) > largest ? fabs(a[i * m + j]) : largest;
        }
        most[i] += largest;
        total += largest;
    }
    for (int i = 0; i < n; i++) {
        double s = 0, largest = 0;
        for (int j = 0; j < m; j++)
            s += b[i * m + j];
        double mean = m ? floor(s / m) : 0;
        if (mean < 0)
            mean = -mean;
        for (int j = 0; j < m; j++) {
            b[i * m + j] -= mean;
            largest = fabs(b[i * m + j]) > largest ? fabs(b[i * m + j]) : largest;
        }
        expect(most[i], largest, "the largest of a row");
        all += largest;
    }
    for (int k = 0; k < n * m; k++)
        expect(a[k], b[k], "a centred row");
    expect(total, all, "the sum over the teams");
    free(a);
    free(b);
    free(most);
}

/* Rows of different lengths, of which only the device knows how long they are. */
static void rows(int n, int m)
{
    int *begin = malloc((n + 1) * sizeof *begin), *column, nonzeros = 0;
    for (int i = 0; i <= n; i++) {
        begin[i] = nonzeros;
        nonzeros += i * 7 % (m + 1);
    }
    column = malloc((nonzeros + 1) * sizeof *column);
    float *x = malloc((m + 1) * sizeof *x), *y = calloc(n + 1, sizeof *y);
    for (int k = 0; k < nonzeros; k++)
        column[k] = k * 5 % (m + 1);
    for (int k = 0; k <= m; k++)
        x[k] = (float)(k % 9);
#pragma omp target teams distribute map(to : begin[0 : n + 1], column[0 : nonzeros], x[0 : m + 1]) map(tofrom : y[0 : n + 1])
    for (int i = 0; i < n; i++) {
        int k = begin[i], end = begin[i + 1];
        float s = 0;
#pragma omp parallel for reduction(+ : s)
        for (int j = k; j < end; j++)
            s += x[column[j]];
        y[i] = s;
        if (end > k)
            y[i] += y[i] * s;
    }
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = begin[i]; j < begin[i + 1]; j++)
            s += x[column[j]];
        expect(y[i], begin[i + 1] > begin[i] ? s + s * s : s, "a sparse row");
    }
    free(begin);
    free(column);
    free(x);
    free(y);
}

/* A loop in each row: its condition reads what the last turn's parallel loop has written.  Two counters, chunks. */
static void iterate(int n, int m)
{
    int *a = malloc((n * m + 1) * sizeof *a), *turns = calloc(n + 1, sizeof *turns), i, j, k;
    for (k = 0; k < n * m; k++)
        a[k] = k % 5;
#pragma omp target teams distribute map(tofrom : a[0 : n * m], turns[0 : n + 1]) dist_schedule(static, 2) private(j, k)
    for (i = 0; i < n; i++) {
        int left = m > 0, odd = 0;
        k = 0;
        for (k = 0; left && k < 20; k++) {
            int grown = 0;
#pragma omp parallel for reduction(+ : grown)
            for (j = 0; j < m; j++)
                if (a[i * m + j] < 6) {
                    a[i * m + j]++;
                    grown += 1;
                }
            left = grown;
            if (a[i * m] == 3)
                continue;
            odd++;
            if (k == 9)
                break;
            while (a[i * m + m - 1] < 2) {
#pragma omp parallel for
                for (j = 0; j < m; j++)
                    a[i * m + j] += 1;
            }
            turns[i]++;
        }
        turns[i] += 100 * k + 10000 * odd;
    }
    for (i = 0; i < n; i++) {
        int left = m > 0, odd = 0, met = 0, b[600];
        for (j = 0; j < m; j++)
            b[j] = (i * m + j) % 5;
        for (k = 0; left && k < 20; k++) {
            left = 0;
            for (j = 0; j < m; j++)
                if (b[j] < 6) {
                    b[j]++;
                    left++;
                }
            if (b[0] == 3)
                continue;
            odd++;
            if (k == 9)
                break;
            while (b[m - 1] < 2)
                for (j = 0; j < m; j++)
                    b[j] += 1;
            met++;
        }
        expect(turns[i], met + 100 * k + 10000 * odd, "turns");
        for (j = 0; j < m; j++)
            expect(a[i * m + j], b[j], "what the turns made");
    }
    free(a);
    free(turns);
}

/* Variables of the row that parallel loops change, whose address is taken, or that a call changes. */
static void add(int *to, int by) { *to += by; }
#pragma omp declare target to(add)
static void shared(int n, int m)
{
    long *out = calloc(n + 1, sizeof *out);
#pragma omp target teams distribute collapse(2) map(tofrom : out[0 : n + 1])
    for (int i = 0; i < n; i++)
        for (int h = 0; h < 2; h++) {
            int hits = 0, called = 1, *where = &hits, last = -1, table[3] = {i, h, 2};
            unsigned char bits = 0;
            double low = 1e9;
#pragma omp parallel for lastprivate(last) reduction(| : bits) reduction(min : low)
            for (int j = 0; j < m; j++) {
#pragma omp atomic
                hits += table[j % 3];
                last = j;
                bits |= (unsigned char)(1 << j % 8);
                low = low < 7 - j ? low : 7 - j;
            }
            add(&called, *where);
            table[1] = called;
            int sum = 0;
#pragma omp parallel for reduction(+ : sum)
            for (int j = 0; j < m; j++)
                sum += table[1] + last;
#pragma omp atomic
            out[i] += sum + bits + (m ? (long)low : 0);
        }
    for (int i = 0; i < n; i++) {
        long want = 0;
        for (int h = 0; h < 2; h++) {
            int hits = 0, bits = 0;
            for (int j = 0; j < m; j++) {
                hits += j % 3 == 0 ? i : j % 3 == 1 ? h : 2;
                bits |= 1 << j % 8;
            }
            want += (long)m * (1 + hits + m - 1) + bits + (m ? 7 - (m - 1) : 0);
        }
        expect(out[i], want, "shared variables of a row");
    }
    free(out);
}

/* A counter from outside that keeps its last value; loops that read and write the same memory by two names. */
static void counters(int n, int m)
{
    int *out = calloc(n + 1, sizeof *out), *twice = calloc(n * m + 1, sizeof *twice), k;
    for (k = 0; k < n * m; k++)
        twice[k] = k % 11 + 1;
#pragma omp target teams distribute map(tofrom : out[0 : n + 1], twice[0 : n * m])
    for (int i = 0; i < n; i++) {
        if (m == 0)
            continue;
        int j, *again = twice, first = again[i * m];
#pragma omp parallel for simd
        for (j = 0; j < m; j++)
            twice[i * m + j] += first;
        out[i] = j + again[i * m + m - 1];
        first = j;
#pragma omp parallel for simd private(j)
        for (j = 0; j < m; j++)
            again[i * m + j] += first;
        out[i] += j + first;
    }
    for (int i = 0; i < n; i++) {
        int first = i * m % 11 + 1, last = (i * m + m - 1) % 11 + 1;
        expect(out[i], m ? 3 * m + last + first : 0, "a counter's last value");
        for (int j = 0; j < m; j++)
            expect(twice[i * m + j], (i * m + j) % 11 + 1 + first + m, "memory with two names");
    }
    free(out);
    free(twice);
}

int main(void)
{
    for (int k = 0; k < SIZES; k++)
        for (int few = 0; few < 3; few++) {
            int n = few == 0 ? 1 : few == 1 ? 5 : sizes[k] % 70, m = sizes[k];
            centre(n, m);
            rows(n, m);
            iterate(n, m);
            shared(n, m);
            counters(n, m);
        }
    return failures != 0;
}
