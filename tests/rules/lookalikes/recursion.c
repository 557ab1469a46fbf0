// Functions that call themselves in tasks.

static void merge(int *a, int *t, int lo, int mid, int hi) {
  int i = lo, j = mid;
  for (int k = lo; k < hi; k++) t[k] = (i < mid && (j >= hi || a[i] <= a[j])) ? a[i++] : a[j++];
  for (int k = lo; k < hi; k++) a[k] = t[k];
}
void msort(int *a, int *t, int lo, int hi) {
  if (hi - lo < 2) return;
  int mid = lo + (hi - lo) / 2;
#pragma omp task if (hi - lo > 1000)
  msort(a, t, lo, mid);
#pragma omp task if (hi - lo > 1000)
  msort(a, t, mid, hi);
#pragma omp taskwait
  merge(a, t, lo, mid, hi);
}

static int ok(const int *q, int r, int c) { for (int i = 0; i < r; i++) if (q[i] == c || q[i] - c == i - r || q[i] - c == r - i) return 0; return 1; }
static int total;
void solve(int n, int r, const int *q) {
  if (r == n) {
#pragma omp atomic
    total++;
    return;
  }
  for (int c = 0; c < n; c++) {
    if (!ok(q, r, c)) continue;
#pragma omp task firstprivate(c)
    {
      int mine[16];
      for (int i = 0; i < r; i++) mine[i] = q[i];
      mine[r] = c;
      solve(n, r + 1, mine);
    }
  }
#pragma omp taskwait
}

typedef struct node { int depth, size; struct node *l, *r; } node;
void fill(node *t, int d) {
  if (!t) return;
  t->depth = d;
#pragma omp task
  fill(t->l, d + 1);
#pragma omp task
  fill(t->r, d + 1);
#pragma omp taskwait
  t->size = 1 + (t->l ? t->l->size : 0) + (t->r ? t->r->size : 0);
}

void mul(int n, int ld, const double *a, const double *b, double *c) {
  if (n <= 32) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i * ld + j] += a[i * ld + k] * b[k * ld + j];
    return;
  }
  int h = n / 2;
#pragma omp task
  mul(h, ld, a, b, c);
#pragma omp task
  mul(h, ld, a, b + h, c + h);
#pragma omp task
  mul(h, ld, a + h * ld, b, c + h * ld);
#pragma omp task
  mul(h, ld, a + h * ld, b + h, c + h * ld + h);
#pragma omp taskwait
#pragma omp task
  mul(h, ld, a + h, b + h * ld, c);
#pragma omp task
  mul(h, ld, a + h, b + h * ld + h, c + h);
#pragma omp taskwait
}
