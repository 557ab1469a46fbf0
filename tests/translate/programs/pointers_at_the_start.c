/* `declare target` variables that begin with addresses of what has no name, and of functions: on a device, of the
   device's own.  Device code may compare them, change them and hand them on. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "expect.h"

#define TEXT "of a " "macro"
#define PAIR(a, b) {a, b}

int plain = 5; /* that `declare target` variables begin with its address puts it there, too */
static const char *const days[] = {"Monday", "Tuesday"};
#pragma omp declare target
#pragma omp declare target
int inner;
#pragma omp end declare target
typedef int function(int);
static int add(int x) { return x + 1; }
int twice(int x) { return 2 * x; }
static int minus(int x) { return -x; }
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
const char *message = "constant", *rest = "constant" + 3, *one = &"constant"[5], *nothing = 0, *conditional = 1 ? "yes" : "no";
char words[2][8] = {"first", "second"}, *entries[2][3] = {{"a", "bc"}, [1] = {[1] = "de\0f", "\x41" "1"}};
const char (*whole)[4] = &"abc";
const wchar_t *wide = L"w\x263a";
static const uint8_t *bytes = (const uint8_t *)"\377\1" "2", *later;
const char *of_macro = TEXT;
long lengths[] = {sizeof "four", sizeof(char *)};
struct entry {
    char name[4];
    const char *text;
    union {
        long number;
        const char *second;
    };
    function *apply;
    int *value;
} table[] = {{"one", "two", .second = "three", add, &plain},
             [2] = {.apply = &twice, .text = "last", .name = {'x'}},
             {"el", "ided", {4}, minus, 0}};
struct pair {
    char name[3];
    const char *text;
} elided[] = {"el", "ided", [2] = {"", "two"}};
static struct link {
    const char *name;
    struct link *next;
} *chain = &(struct link){"outer", &(struct link){"inside", 0}};
int *numbers = (int[]){3, 1, 2}, *behind = (int[4]){[3] = 8} + 3;
const char *const *day = days;
const char *const pairs[2][2] = {PAIR("p", "q"), PAIR("r", "s")};
function *chosen = add, *const fixed = minus, *functions[2] = {twice};
int (*order)(const void *, const void *) = less;
static int through(function *f, int x) { return f ? f(x) : -1; }
static function *next_of(function *f) { return f == add ? twice : add; }
static int called(void)
{
    static const char *name = "static", *const fixed_name = "fixed";
    static function *f = minus;
    int sum = f(name[1]) + fixed_name[0];
    name = "other";
    return sum;
}
#pragma omp end declare target

int main(void)
{
    int r[16] = {0};
    message = "changed on the host"; /* says nothing about the device */
    const char *before = table[0].text;
#pragma omp target map(tofrom : r) if (1)
    {
        r[0] = strlen(of_macro) * 100 + strlen(rest) * 10 + one[0] - 'a' + (nothing == 0);
        r[1] = words[1][0] + entries[0][1][1] + entries[1][1][3] + entries[1][2][1] + (entries[0][2] == 0);
        r[2] = (*whole)[2] + wide[1] + bytes[0] + bytes[2] + conditional[0] + lengths[0];
        r[3] = table[0].name[2] + table[0].text[2] + table[0].second[4] + *table[0].value;
        r[4] = table[2].text[0] + table[2].apply(20) + elided[0].text[0] + elided[2].text[1] + table[3].apply(7) + (table[1].text == 0);
        r[5] = chain->next->name[0] + numbers[0] + *behind + day[1][0] + pairs[1][1][0];
        r[6] = chosen(1) * 100 + fixed(3) + functions[0](4) + through(functions[1], 1);
        r[7] = (chosen == add) + (table[2].apply == twice) * 2 + (functions[0] != &twice) * 4 + (next_of(chosen) == twice) * 8;
        chosen = next_of(chosen);
        r[8] = called();
        r[9] = ++plain;
    }
#pragma omp target map(tofrom : r)
    {
        r[10] = chosen(21) + (chosen == twice);
        r[11] = *table[0].value;
        later = bytes + 1;
        r[12] = through(chosen, 3) + *later;
    }
    expect(r[0], 1051, "strings");
    expect(r[1], 's' + 'c' + 'f' + '1' + 1, "arrays of strings");
    expect(r[2], 'c' + 0x263a + 255 + '2' + 'y' + 5, "other strings");
    expect(r[3], 'e' + 'o' + 'e' + 5, "a structure");
    expect(r[4], 'l' + 40 + 'i' + 'w' - 7 + 1, "designators");
    expect(r[5], 'i' + 3 + 8 + 'T' + 's', "compound literals");
    expect(r[6], 200 - 3 + 8 - 1, "functions");
    expect(r[7], 1 + 2 + 8, "comparisons");
    expect(r[8], -'t' + 'f', "static variables of a function");
    expect(r[9], 6, "a variable that only an initializer names");
    expect(r[10], 43, "a function that was chosen on the device");
    expect(r[11], 6, "the next region");
    expect(r[12], 6 + 1, "a pointer that was set on the device");
    expect(table[0].text == before && table[0].apply == add && !strcmp(message, "changed on the host"), 1, "the host's own");

    table[0].text = message = words[1]; /* where the device has one of its own */
    table[1].text = 0;
#pragma omp target update to(table, message)
#pragma omp target map(tofrom : r)
    {
        r[14] = table[0].text[3] + message[1] + table[0].second[0] + (table[1].text == 0) + *table[0].value;
        table[1].text = message;
        table[2].number = 77;
        if (!omp_is_initial_device()) message = 0;
    }
#pragma omp target update from(table, message)
    expect(r[14], 'o' + 'e' + 't' + 1 + 6, "pointers that the host sends");
    expect(table[0].text == words[1] && table[0].apply == add && table[2].number == 77 && message == words[1], 1,
           "the host's pointers stay");

    chosen = minus;
#pragma omp target update to(chosen)
#pragma omp target map(tofrom : r)
    r[13] = chosen(4);
    expect(r[13], -4, "a function that the host sends");
#pragma omp target
    chosen = twice;
#pragma omp target update from(chosen)
    expect(chosen == twice ? chosen(4) : 0, 8, "a function that the device sends");
    return failures != 0;
}
