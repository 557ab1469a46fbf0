// ompls_device.cuh -- the device part of the CUDA runtime: what generated kernels call.  (Interface; bodies follow.)
//
// Included by every generated kernel file, compiled by nvrtc/nvcc for a GPU and by g++ for `cudasim`.  No other header.
#pragma once

// --- loops ------------------------------------------------------------------------------------------------------
// A range of normalised iterations 0..count-1: begin, begin+stride, … while < end.  T is int or long long.
template <typename T> struct ompls_range { T begin, end, stride; };

// Phase one: this team's chunk of `count` iterations (dist_schedule absent or static: one contiguous chunk a team;
// with a chunk size the chunks go round robin and the caller loops while ompls_next_distribute_chunk is true).
template <typename T> __device__ ompls_range<T> ompls_get_distribute_chunk(T count);
// Phase two: this thread's iterations of the team's range.  No schedule clause: neighbouring threads take neighbouring
// iterations (stride = team size), which coalesces.  `_contiguous`: schedule(static) without chunk.
template <typename T> __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team);
template <typename T> __device__ ompls_range<T> ompls_get_static_chunk_contiguous(ompls_range<T> team);

// --- master/worker ----------------------------------------------------------------------------------------------
// Kernel prologue of a region that is not SPMD.  Returns true in the one thread that runs the sequential code; in all
// others it serves parallel regions and returns false when the master has called ompls_target_end().
__device__ bool ompls_target_begin();
__device__ void ompls_target_end();
// Run `fn(vars)` on `num_threads` workers (0: all), called by the master; returns when all are done.
__device__ void ompls_parallel(void (*fn)(void *), void *vars, int num_threads);
// The shared-memory stack for variables that a parallel region shares: push copies in, pop copies back and frees.
__device__ void *ompls_push_shmem(const void *from, unsigned long size);
__device__ void ompls_pop_shmem(void *to, unsigned long size);
// A barrier of the current team's threads (of the parallel region in generic mode, of the block in SPMD mode).
__device__ void ompls_barrier();

// --- reductions and atomics -------------------------------------------------------------------------------------
struct ompls_add; struct ompls_mul; struct ompls_min; struct ompls_max; struct ompls_and; struct ompls_or;
struct ompls_xor; struct ompls_land; struct ompls_lor;
// `*target = *target OP (all threads' values)`: every thread of the team calls it; one atomic a team.
template <class Op, typename T> __device__ void ompls_reduce(T *target, T value);
template <class Op, typename T> __device__ T ompls_identity();
// `*target = *target OP value` atomically; returns the old value (`capture`).  Any scalar T of 1, 2, 4 or 8 bytes.
template <class Op, typename T> __device__ T ompls_atomic(T *target, T value);
template <typename T> __device__ T ompls_atomic_read(const T *target);
template <typename T> __device__ void ompls_atomic_write(T *target, T value);
template <typename T> __device__ T ompls_atomic_exchange(T *target, T value);
// --- critical ---------------------------------------------------------------------------------------------------
// ompls_critical(&lock, [&] { … }) without warp deadlock.  `lock` is a zero-initialised __device__ int.
template <class F> __device__ void ompls_critical(int *lock, F body);
