/* cudasim_master.c with rows of 64 floats. */
#define WIDTH 64
#include "cudasim_master.c"
