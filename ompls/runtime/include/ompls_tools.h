/* ompls_tools.h -- how a tool watches what a program does with its devices: the target part of OMPT (OpenMP 5.2 chapter 19),
   with the specification's names, numbers and signatures, so that a tool for it needs no change.

   A tool is found as OMPT finds it: by a definition of `ompt_start_tool` in the program, else in one of the shared objects
   that OMP_TOOL_LIBRARIES lists (separated by colons); OMP_TOOL=disabled asks for none.  Its callbacks run in the thread
   that does the work, which is a worker of the runtime for a deferred construct.  Addresses on devices are those of
   omp_target_alloc.  `codeptr_ra` is 0; `ompls_get_construct`, from the look-up function, gives file, line and variable. */
#ifndef OMPLS_TOOLS_H
#define OMPLS_TOOLS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ompt_id_t;
typedef union {
    uint64_t value; /* the tool's own; 0 at first */
    void *ptr;
} ompt_data_t;
typedef void ompt_device_t;

typedef enum { ompt_scope_begin = 1, ompt_scope_end = 2, ompt_scope_beginend = 3 } ompt_scope_endpoint_t;
typedef enum {
    ompt_target = 1,
    ompt_target_enter_data = 2,
    ompt_target_exit_data = 3,
    ompt_target_update = 4,
    ompt_target_nowait = 9,
    ompt_target_enter_data_nowait = 10,
    ompt_target_exit_data_nowait = 11,
    ompt_target_update_nowait = 12
} ompt_target_t;
typedef enum {
    ompt_target_data_alloc = 1,
    ompt_target_data_transfer_to_device = 2,
    ompt_target_data_transfer_from_device = 3,
    ompt_target_data_delete = 4
} ompt_target_data_op_t;
typedef enum { ompt_set_error = 0, ompt_set_never = 1, ompt_set_always = 5 } ompt_set_result_t;
typedef enum {
    ompt_callback_device_initialize = 12,
    ompt_callback_device_finalize = 13,
    ompt_callback_device_load = 14,
    ompt_callback_target_emi = 33,
    ompt_callback_target_data_op_emi = 34,
    ompt_callback_target_submit_emi = 35
} ompt_callbacks_t;

typedef void (*ompt_interface_fn_t)(void);
typedef void (*ompt_callback_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef ompt_set_result_t (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback); /* "ompt_set_callback" */
typedef int (*ompt_get_callback_t)(ompt_callbacks_t event, ompt_callback_t *callback);              /* "ompt_get_callback" */
/* "ompls_get_construct": what the calling thread is at; `variable` is 0 where there is none.  Returns 0 outside of constructs. */
typedef int (*ompls_get_construct_t)(const char **file, unsigned *line, const char **variable);

typedef void (*ompt_callback_device_initialize_t)(int device_num, const char *type, ompt_device_t *device,
                                                  ompt_function_lookup_t lookup, const char *documentation);
typedef void (*ompt_callback_device_finalize_t)(int device_num);
typedef void (*ompt_callback_device_load_t)(int device_num, const char *filename, int64_t offset_in_file, void *vma_in_file,
                                            size_t bytes, void *host_addr, void *device_addr, uint64_t module_id);
typedef void (*ompt_callback_target_emi_t)(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                                           ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                                           const void *codeptr_ra);
typedef void (*ompt_callback_target_data_op_emi_t)(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                                   ompt_data_t *target_data, ompt_id_t *host_op_id, ompt_target_data_op_t optype,
                                                   void *src_addr, int src_device_num, void *dest_addr, int dest_device_num,
                                                   size_t bytes, const void *codeptr_ra);
typedef void (*ompt_callback_target_submit_emi_t)(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                                  ompt_id_t *host_op_id, unsigned requested_num_teams);

typedef struct ompt_start_tool_result_t {
    int (*initialize)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data); /* 0: not active */
    void (*finalize)(ompt_data_t *tool_data);
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

/* The tool's: 0 when it does not want to watch this program. */
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version);

#ifdef __cplusplus
}
#endif
#endif
