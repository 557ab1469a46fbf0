"""A variable that is updated atomically in one place and accessed plainly, by other threads, in another."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.atomically import atomically
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "mixed"):
        race = report.race
        atomic, plain = race.first, race.second
        if not any(kind == "atomic" for kind, _ in atomic.held):
            atomic, plain = plain, atomic
        verb = "writes" if plain.write else "reads"
        done = "updates" if atomic.read and atomic.write else "writes" if atomic.write else "reads"
        message = (
            f"an `atomic` directive {done} `{text_of(scene, atomic)}`, but another thread {verb} it without one: "
            "that is a race all the same"
        )
        yield finding(scene, report, message, atomically(scene, [plain], safe=race.certain))


RULE = Rule(
    id="atomic-mixed-with-plain",
    severity="warning",
    title="Atomic and plain accesses of one variable race with each other",
    why="""
An `atomic` directive protects an access from other atomic accesses of the same place, not from plain ones: every access that may
happen at the same time has to be atomic. A plain read becomes `atomic read`; a test together with an update becomes one
`atomic capture` (or `atomic compare`).
""",
    section="15.8.4",
    group="sharing",
    about="races",
    bad=(
        """
int counter;
void f(int n) {
    #pragma omp target teams distribute parallel for map(tofrom: counter)
    for (int i = 0; i < 2 * n; i++)
        if (counter < 100) {
            #pragma omp atomic
            counter++;
        //  ^^^^^^^ warning: an `atomic` directive updates `counter`, but another thread reads it without one: that is a race all the same
        }
}
""",
        """
void f(int n, const int *x, int *hits) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        hits[0] += x[i];
        hits[0]--;
    //  ^^^^^^^ warning: an `atomic` directive updates `hits[0]`, but another thread writes it without one: that is a race all the same
    }
}
""",
        """
static int done;
static void finish(void) {
    #pragma omp atomic write
    done = 1;
//  ^^^^ warning: an `atomic` directive writes `done`, but another thread reads it without one: that is a race all the same
}
void f(int n, int *x) {
    #pragma omp parallel
    {
        while (!done) {
            x[0] = n;
            finish();
        }
    }
}
""",
    ),
    good=(
        """
int counter;
void f(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int now;
        #pragma omp atomic read
        now = counter;
        if (now < 100) {
            #pragma omp atomic
            counter++;
        }
    }
}
""",
        """
int f(int n, const int *x) {
    int sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        sum += x[i];
    }
    return sum;
}
""",
        """
void f(int n, int *x, int *next) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int mine;
        #pragma omp atomic capture
        mine = (*next)++;
        x[mine] = i;
    }
}
""",
        """
void f(int n, int *bins, const int *x) {
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < n; i++) {
            #pragma omp atomic
            bins[0] += x[i];
        }
        #pragma omp single
        bins[0] = bins[0] / 2;
    }
}
""",
        """
void f(int n, int *a, int *b) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        a[i % 4] += b[i];
        b[i] = 0;
    }
}
""",
    ),
    check=check,
)
