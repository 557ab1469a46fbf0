/* fake_ptx.h -- how the "PTX" of the fake compiler begins, which the fake driver takes. */
#define FAKE_PTX "// an image of cudasim\n"
