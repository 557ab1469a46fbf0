// faults.h -- signals of kernels.
#ifndef OMPLS_SIM_FAULTS_H
#define OMPLS_SIM_FAULTS_H
#include <cstdint>

// From now on signals end the process with a reason; those of the calling thread are handled on a stack of their own.
// `arena` is where the device's memory begins.
void ompls_sim_catch_faults(uint64_t arena);

#endif
