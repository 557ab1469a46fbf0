/* tiny.h -- in front of every kernel: what there is besides the language. */
#ifndef TINY_H
#define TINY_H
_Static_assert(sizeof(void *) == 4, "a core has addresses of four bytes");
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *memset(void *to, int value, __SIZE_TYPE__ size);
#endif
