// Threads and teams that share work by their numbers, and loops whose step is no constant.
#include <complex.h>
#include <omp.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
void blocks_minmax(int n, double *x, double *part) {
#pragma omp parallel
  {
    int id = omp_get_thread_num(), nt = omp_get_num_threads();
    int chunk = (n + nt - 1) / nt;
    int lo = id * chunk, hi = MIN(lo + chunk, n);
    double s = 0;
    for (int i = lo; i < hi; i++) { x[i] *= 2; s += x[i]; }
    part[id] = s;
#pragma omp barrier
    for (int d = 1; d < nt; d *= 2) {
      if (id % (2 * d) == 0 && id + d < nt) part[id] += part[id + d];
#pragma omp barrier
    }
  }
}
#undef MIN

void split_range(long n, float *a) {
#pragma omp parallel num_threads(8)
  {
    int t = omp_get_thread_num();
    for (long i = n * t / 8; i < n * (t + 1) / 8; i++) a[i] += 1;
  }
}

#define G 4
#define T 32
void two_level(int n, const float *in, float *out) {
#pragma omp target teams num_teams(G) thread_limit(T) map(to: in[0:n]) map(from: out[0:G])
  {
    float sh[T];
    int g = omp_get_team_num(), ng = omp_get_num_teams();
#pragma omp parallel num_threads(T)
    {
      int t = omp_get_thread_num(), nt = omp_get_num_threads();
      float s = 0;
      for (int i = g * nt + t; i < n; i += ng * nt) s += in[i];
      sh[t] = s;
#pragma omp barrier
      for (int h = nt / 2; h > 0; h >>= 1) {
        if (t < h) sh[t] += sh[t + h];
#pragma omp barrier
      }
      if (t == 0) out[g] = sh[0];
    }
  }
}
#undef G
#undef T

void fft(int n, float *re, float *im) {
  for (int len = 2; len <= n; len <<= 1) {
    int half = len / 2;
#pragma omp target teams distribute parallel for map(tofrom: re[0:n], im[0:n])
    for (int b = 0; b < n; b += len)
      for (int k = 0; k < half; k++) {
        float u = re[b + k], v = re[b + k + half];
        re[b + k] = u + v;
        re[b + k + half] = u - v;
      }
  }
}

void rotating_owner(int steps, int *slot) {
#pragma omp parallel
  {
    int id = omp_get_thread_num(), n = omp_get_num_threads();
    for (int s = 0; s < steps; s++) {
      slot[(id + s) % n] += id;
#pragma omp barrier
    }
  }
}

void pipeline_lag(int steps, int n, float (*a)[64]) {
#pragma omp parallel num_threads(64)
  {
    int id = omp_get_thread_num();
    for (int t = 1; t < steps; t++) {
      a[t][id] = a[t - 1][id] + a[t - 1][(id + 1) % 64];
#pragma omp barrier
    }
  }
}

#define T 16
void wave_threads(int a[T][T]) {
#pragma omp parallel num_threads(T)
  {
    int id = omp_get_thread_num();
    for (int d = 0; d < 2 * T - 1; d++) {
      int j = d - id;
      if (j > 0 && j < T && id > 0) a[id][j] = a[id - 1][j] + a[id][j - 1];
#pragma omp barrier
    }
  }
}
#undef T

#define T 64
static float scratch[1024 * T];
void thread_scratch_total(int n, float *o) {
#pragma omp target teams distribute parallel for num_teams(16) num_threads(64) map(tofrom: scratch, o[0:n])
  for (int i = 0; i < n; i++) {
    float *s = scratch + omp_get_team_num() * T + omp_get_thread_num();
    *s = i;
    o[i] = *s + 1;
  }
}
#undef T

void team_local_sum(int n, const float *x, float *part) {
#pragma omp target teams map(to: x[0:n]) map(tofrom: part[0:256])
  {
    int t = omp_get_team_num();
    float s = 0;
#pragma omp distribute parallel for reduction(+: s)
    for (int i = 0; i < n; i++) s += x[i];
    part[t] = s;
  }
}

void grid_rows(int n, int m, float *a) {
#pragma omp target teams map(tofrom: a[0:n*m])
#pragma omp parallel
  for (int r = omp_get_team_num(); r < n; r += omp_get_num_teams())
    for (int c = omp_get_thread_num(); c < m; c += omp_get_num_threads())
      a[r * m + c] *= 2;
}

#define K 8
void local_hist_rows(int rows, int cols, const int *x, int *hist) {
#pragma omp target teams distribute parallel for map(to: x[0:rows*cols]) map(tofrom: hist[0:rows*K])
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < cols; j++) {
      int best = 0;
      for (int k = 1; k < K; k++) if (x[r * cols + j] > k * 10) best = k;
      hist[r * K + best]++;
    }
}
#undef K

#define K 8
void kmeans_local(int n, const float *x, const float *c, int *count) {
#pragma omp parallel
  {
    int mine[K] = {0};
#pragma omp for
    for (int i = 0; i < n; i++) {
      int best = 0;
      for (int k = 1; k < K; k++) if (x[i] - c[k] < x[i] - c[best]) best = k;
      mine[best]++;
    }
#pragma omp critical
    for (int k = 0; k < K; k++) count[k] += mine[k];
  }
}
#undef K

void pingpong_idx(int n, int steps, float (*u)[1024]) {
#pragma omp parallel
  {
    int cur = 0;
    for (int t = 0; t < steps; t++) {
#pragma omp for
      for (int i = 1; i < n - 1; i++) u[1 - cur][i] = u[cur][i - 1] + u[cur][i + 1];
      cur = 1 - cur;
    }
  }
}
