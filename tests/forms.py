"""Structures with attributes wherever C takes them, and a program that finds out how each is laid out on a device.

What the region finds (size, alignment, where members and bit-fields lie) is compared with what the host finds.
"""

from __future__ import annotations

import re

# Declarations of a type NAME whose members are looked at: x, y, z by their addresses, bit-fields a, b, c by their bits.
FORMS = {
    "before the tag": "struct __attribute__((aligned(16))) NAME { float x, y, z; };",
    "packed": "struct __attribute__((packed)) NAME { char x; int y; };",
    "packed and aligned": "struct __attribute__((packed, aligned(4))) NAME { char x; double y; };",
    "two attributes": "struct __attribute__((packed)) __attribute__((__aligned__(2))) NAME { char x; int y; };",
    "union": "union __attribute__((packed)) NAME { char x[5]; int y; };",
    "behind the brace": "struct NAME { float x, y, z; } __attribute__((aligned(16)));",
    "packed behind the brace": "struct NAME { char x; int y; } __attribute__((packed));",
    "typedef behind the brace": "typedef struct { char x; double y; } __attribute__((packed)) NAME;",
    "typedef's own": "typedef struct { float x, y, z; } NAME __attribute__((aligned(16)));",
    "packed typedef": "typedef struct { char x; double y; } NAME __attribute__((packed));",
    "before typedef": "__attribute__((aligned(16))) typedef struct { float x, y; } NAME;",
    "behind typedef": "typedef __attribute__((aligned(16))) struct { float x, y; } NAME;",
    "typedef with a tag": "typedef struct __attribute__((aligned(16))) NAME_ { float x, y, z; } NAME;",
    "typedef without a tag": "typedef struct __attribute__((packed)) { char x; long y; } NAME;",
    "both places": "struct __attribute__((packed)) NAME { char x; int y; } __attribute__((aligned(2)));",
    "member": "struct NAME { char x; int y __attribute__((aligned(16))); };",
    "packed member": "struct NAME { char x; int y __attribute__((packed)); };",
    "before a member": "struct NAME { char x; __attribute__((packed)) int y; };",
    "members of one declaration": "struct NAME { char x; char __attribute__((aligned(8))) y, z; };",
    "one of two members": "struct NAME { char x; char y __attribute__((aligned(8))), z; };",
    "array": "struct NAME { char x; char y[3] __attribute__((aligned(8))); };",
    "pointer": "struct NAME { char x; char *__attribute__((aligned(32))) y; };",
    "typedef of a member": "typedef int NAME_t __attribute__((aligned(32))); struct NAME { char x; NAME_t y; };",
    "typedef in a packed one":
        "typedef short NAME_t __attribute__((aligned(8))); struct __attribute__((packed)) NAME { char x; NAME_t y; };",
    "member of a packed one":
        "struct __attribute__((packed)) NAME { char x; int y __attribute__((aligned(4))); char z; };",
    "structure in a packed one": "struct __attribute__((aligned(8))) NAME_in { char c; };"
        " struct __attribute__((packed)) NAME { char x; struct NAME_in y; char z; };",
    "structure as a member": "struct __attribute__((aligned(32))) NAME_in { char c; };"
        " struct NAME { int x; struct NAME_in y[2]; int z; };",
    "array of structures": "struct NAME_in { char c; int i; } __attribute__((packed));"
        " struct NAME { char x; struct NAME_in y[3]; };",
    "inner": "struct NAME { char x; struct __attribute__((packed)) { char d; int i; } y; };",
    "inner, behind": "struct NAME { char x; struct { char d; int i; } __attribute__((packed)) y; };",
    "inner with a tag": "struct NAME { char x; struct NAME_in { char d; } __attribute__((aligned(16))) y; char z; };",
    "inner of an inner": "struct NAME { char x; struct NAME_1 { char d; struct NAME_2 { char e; int f; }"
        " __attribute__((packed)) g; } __attribute__((aligned(2))) y; char z; };",
    "nameless": "struct NAME { char x; struct { char d; int y; } __attribute__((packed)); };",
    "nameless union": "struct NAME { char x; union { char y; char z; } __attribute__((aligned(16))); };",
    "nameless, of its declaration": "struct NAME { char x; __attribute__((aligned(16))) struct { char y; }; };",
    "nameless in a packed one": "struct __attribute__((packed)) NAME { char x; union { int y; char z; }; };",
    "_Alignas": "struct NAME { char x; _Alignas(16) float y[3]; };",
    "_Alignas of a type": "struct NAME { char x; _Alignas(double) char y; };",
    "a number's name": "enum { NAME_n = 32 }; struct __attribute__((aligned(NAME_n))) NAME { char x; };",
    "an expression": "struct __attribute__((aligned(4 * sizeof(int)))) NAME { char x; };",
    "an alignment": "struct NAME { char x; } __attribute__((aligned(_Alignof(double))));",
    "no number": "struct NAME { char x; char y; } __attribute__((aligned));",
    "macro": "struct NAME { char x; int y; } PACKED;",
    "macro with an argument": "struct ALIGNED(16) NAME { char x; int y; };",
    "C23": "struct [[gnu::packed]] NAME { char x; int y; };",
    "C23, a number": "struct [[gnu::aligned(16), gnu::packed]] NAME { char x; int y; };",
    "C23, more than the layout": "struct [[gnu::packed, gnu::may_alias]] NAME { char x; int y; };",
    "C23, not all of GNU's": "struct [[my::one(1, 2), maybe_unused, __gnu__::__aligned__(2 * (4))]] NAME { char x; };",
    "C23, several lists": "struct [[gnu::packed]] [[maybe_unused]] [[gnu::aligned(4)]] NAME { char x; int y; };",
    "C23, behind the brace": "struct NAME { char x; int y; } [[gnu::packed]];",
    "C23, member": "struct NAME { char x; int y [[gnu::packed]]; char z [[gnu::aligned(8)]]; };",
    "C23, typedef": "typedef char NAME_t [[gnu::aligned(8)]]; struct NAME { char x; NAME_t y; };",
    "enumeration": "enum __attribute__((packed)) NAME_e { NAME_E = 3 }; struct NAME { char x; enum NAME_e y; };",
    "enumeration, behind":
        "enum NAME_e { NAME_E = -300 } __attribute__((packed)); struct NAME { char x; enum NAME_e y; };",
    "aligned enumeration":
        "enum NAME_e { NAME_E } __attribute__((aligned(16))); struct NAME { char x; enum NAME_e y; };",
    "bit-fields": "struct NAME { char x; int a : 3; int b : 30; char y; };",
    "packed bit-fields": "struct NAME { char x; int a : 3; int b : 30; char y; } __attribute__((packed));",
    "a packed bit-field": "struct NAME { int a : 3; __attribute__((packed)) int b : 30; char y; };",
    "aligned bit-field": "struct NAME { char x; int a : 3 __attribute__((aligned(8))); int b : 3; char y; };",
    "wide bit-field": "struct NAME { char x; unsigned long long a : 40; char y; };",
    "bit-field of width 0": "struct NAME { char x; int : 0; char y; };",
    "#pragma pack": "\n#pragma pack(push, 2)\nstruct NAME { char x; double y; };\n#pragma pack(pop)\n",
    "#pragma pack, aligned member":
        "\n#pragma pack(push, 2)\nstruct NAME { char x; double y __attribute__((aligned(8))); };\n#pragma pack(pop)\n",
    "#pragma pack, aligned": "struct __attribute__((aligned(8))) NAME_in { char c; };"
        "\n#pragma pack(2)\nstruct NAME { char x; struct NAME_in y; } __attribute__((aligned(4)));\n#pragma pack()\n",
    "__extension__": "__extension__ struct NAME { char x; __extension__ struct { int y; } __attribute__((packed)); };",
    "flexible": "struct NAME { char x; int y[]; };",
    "flexible and packed": "struct NAME { char x; int y[]; } __attribute__((packed));",
    "wide number": "struct NAME { char x; __int128 y; } __attribute__((packed, aligned(2)));",
}  # fmt: skip
DEFINED = """#include <stdio.h>
#include <string.h>
#define PACKED __attribute__((packed))
#define ALIGNED(n) __attribute__((__aligned__(n)))
"""


def of_form(name: str, number: int) -> tuple[str, str]:
    """(its declarations, statements that write what is to be known of it to `*o++`)."""
    text = FORMS[name].replace("NAME", f"t{number}")
    tagged = re.search(rf"\b(?:struct|union)\b[^{{}};]*\bt{number}\s*\{{", text)
    kind = f"{tagged.group().split()[0]} t{number}" if tagged else f"t{number}"
    body = text[re.search(r"\bstruct[^;]*\{|\bunion[^;]*\{", text).start() :]  # type: ignore[union-attr]
    out = [f"*o++ = {number};", f"*o++ = sizeof({kind});", f"*o++ = _Alignof({kind});", f"{kind} v;"]
    for member in "xyz":
        if re.search(rf"\b{member}\b(?!\s*:)", body) and not re.search(rf"\b{member}\[\]", body):
            out.append(f"*o++ = (char *)&v.{member} - (char *)&v;")
    for bits in re.findall(r"\b([abc]) : ", body):
        out.append(f"memset(&v, 0, sizeof v); v.{bits} = -1;")
        out.append("for (int i = 0; i < (int)sizeof v; i++) *o++ = ((unsigned char *)&v)[i];")
    return text, "{ " + " ".join(out) + " }"


def program(names: list[str], place: str = "file") -> str:
    """`place`: where they are declared, in the file, the function or the region."""
    forms = [of_form(name, number) for number, name in enumerate(names)]
    declared = "\n".join(text for text, _ in forms)
    looked = "\n".join(text for _, text in forms)
    of_file, of_function, of_region = (declared if place == x else "" for x in ("file", "function", "region"))
    return f"""{DEFINED}{of_file}
int main(void)
{{
    {of_function}
    static long there[4000], here[4000];
    int length = 0;
    #pragma omp target map(from: there, length)
    {{
        {of_region}
        long *o = there;
        {looked}
        length = o - there;
    }}
    {of_region}
    long *o = here;
    {looked}
    for (int i = 0; i < o - here; i++) printf("%ld\\n", here[i]);
    return length != o - here || memcmp(here, there, length * sizeof *here) != 0;
}}
"""
