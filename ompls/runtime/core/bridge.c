/* bridge.c -- makes a device module out of a Python object: the table of device.h, filled with calls of its methods.

   Nothing here needs Python.h, which a board may not have: the few functions of the interpreter are looked up in the
   process that hosts the program.  The program runs without the interpreter's lock (GIL); a call takes it.  A thread that
   Python did not make gets a thread state at its first call and keeps it until it ends: making one for every call would
   cost a hundred times as much as the call. */
#include "core.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void object;

static struct {
    int (*PyGILState_Ensure)(void);
    void *(*PyGILState_GetThisThreadState)(void);
    void (*PyThreadState_Clear)(void *);
    void (*PyThreadState_DeleteCurrent)(void);
    void *(*PyEval_SaveThread)(void);
    void (*PyEval_RestoreThread)(void *);
    object *(*PyObject_CallMethod)(object *, const char *, const char *, ...);
    object *(*PyObject_GetAttrString)(object *, const char *);
    object *(*PyMapping_GetItemString)(object *, const char *);
    object *(*PyMemoryView_FromMemory)(char *, ptrdiff_t, int);
    object *(*PyBytes_FromStringAndSize)(const char *, ptrdiff_t);
    object *(*PyTuple_New)(ptrdiff_t);
    int (*PyTuple_SetItem)(object *, ptrdiff_t, object *);
    object *(*PyObject_Str)(object *);
    const char *(*PyUnicode_AsUTF8)(object *);
    unsigned long long (*PyLong_AsUnsignedLongLong)(object *);
    object *(*PyErr_Occurred)(void);
    void (*PyErr_Fetch)(object **, object **, object **);
    void (*PyErr_NormalizeException)(object **, object **, object **);
    void (*PyErr_Clear)(void);
    void (*Py_IncRef)(object *);
    void (*Py_DecRef)(object *);
} py;

static const char *const names[] = {
    "PyGILState_Ensure", "PyGILState_GetThisThreadState", "PyThreadState_Clear", "PyThreadState_DeleteCurrent", "PyEval_SaveThread", "PyEval_RestoreThread", "PyObject_CallMethod",
    "PyObject_GetAttrString", "PyMapping_GetItemString", "PyMemoryView_FromMemory", "PyBytes_FromStringAndSize", "PyTuple_New",
    "PyTuple_SetItem", "PyObject_Str", "PyUnicode_AsUTF8", "PyLong_AsUnsignedLongLong", "PyErr_Occurred", "PyErr_Fetch",
    "PyErr_NormalizeException", "PyErr_Clear", "Py_IncRef", "Py_DecRef",
};
_Static_assert(sizeof py == sizeof names, "the functions and their names correspond");

static const char *find_interpreter(void) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        if (function == NULL) return names[i];
        memcpy((char *)&py + i * sizeof function, &function, sizeof function);
    }
    return NULL;
}

/* --- the lock of the interpreter -------------------------------------------------------------------------------------- */

static _Thread_local void *kept;
static _Thread_local bool foreign; /* the thread state is ours to delete */
static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* Not PyGILState_Release: it asks a thread-specific value that may be gone when a thread ends. */
static void thread_ends(void *state) {
    py.PyEval_RestoreThread(state);
    py.PyThreadState_Clear(state);
    py.PyThreadState_DeleteCurrent();
}

static void make_key(void) {
    pthread_key_create(&at_thread_end, thread_ends);
}

static void enter_python(void) {
    if (OMPLS_LIKELY(kept != NULL)) {
        py.PyEval_RestoreThread(kept);
        return;
    }
    foreign = py.PyGILState_GetThisThreadState() == NULL;
    py.PyGILState_Ensure();
}

static void leave_python(void) {
    void *state = py.PyEval_SaveThread();
    if (OMPLS_LIKELY(kept != NULL)) return;
    kept = state;
    if (!foreign) return;
    pthread_once(&key_once, make_key);
    pthread_setspecific(at_thread_end, state);
}

/* --- results and errors ------------------------------------------------------------------------------------------------ */

static void text_of(object *value, char *out, size_t size) {
    object *text = py.PyObject_Str(value);
    const char *bytes = text != NULL ? py.PyUnicode_AsUTF8(text) : NULL;
    if (bytes != NULL) snprintf(out, size, "%s", bytes);
    if (text != NULL) py.Py_DecRef(text);
    py.PyErr_Clear();
}

static void text_attribute(object *value, const char *name, char *out, size_t size) {
    object *attribute = py.PyObject_GetAttrString(value, name);
    if (attribute != NULL) {
        text_of(attribute, out, size);
        py.Py_DecRef(attribute);
    }
    py.PyErr_Clear();
}

static uint64_t number_attribute(object *value, const char *name) {
    object *attribute = py.PyObject_GetAttrString(value, name);
    uint64_t number = 0;
    if (attribute != NULL) {
        number = py.PyLong_AsUnsignedLongLong(attribute);
        if (py.PyErr_Occurred() != NULL) number = 0;
        py.Py_DecRef(attribute);
    }
    py.PyErr_Clear();
    return number;
}

enum { TOLD = 1, UNTOLD }; /* the exception has a reason; it was not meant for us */

/* The exception's `reason` (else its type and text), `hint`, `fatal`, `fault`, `fault_address`, `fault_line` and `fault_file`. */
static int take_exception(ompls_error *err) {
    int kind_of = TOLD;
    object *type = NULL, *value = NULL, *trace = NULL;
    char kind[64] = "";
    py.PyErr_Fetch(&type, &value, &trace);
    py.PyErr_NormalizeException(&type, &value, &trace);
    memset(err, 0, sizeof *err);
    if (value != NULL) {
        text_attribute(value, "reason", err->reason, sizeof err->reason);
        text_attribute(value, "hint", err->hint, sizeof err->hint);
        if (err->reason[0] == '\0') {
            char text[400] = "";
            text_attribute(type, "__name__", kind, sizeof kind);
            text_of(value, text, sizeof text);
            snprintf(err->reason, sizeof err->reason, "%s: %s", kind, text);
            kind_of = UNTOLD;
        }
        err->fatal = (int)number_attribute(value, "fatal");
        err->fault = (int)number_attribute(value, "fault");
        err->fault_address = number_attribute(value, "fault_address");
        err->fault_line = (uint32_t)number_attribute(value, "fault_line");
        text_attribute(value, "fault_file", err->fault_file, sizeof err->fault_file);
    }
    if (type != NULL) py.Py_DecRef(type);
    if (value != NULL) py.Py_DecRef(value);
    if (trace != NULL) py.Py_DecRef(trace);
    return kind_of;
}

static int done(object *result, ompls_error *err) {
    int failed = result == NULL ? take_exception(err) : 0;
    if (result != NULL) py.Py_DecRef(result);
    leave_python();
    return failed;
}

static int done_number(object *result, uint64_t *out, ompls_error *err) {
    if (result != NULL) {
        *out = py.PyLong_AsUnsignedLongLong(result);
        py.Py_DecRef(result);
    }
    int failed = py.PyErr_Occurred() != NULL ? take_exception(err) : 0;
    leave_python();
    return failed;
}

static int done_object(object *result, void **out, ompls_error *err) {
    int failed = result == NULL ? take_exception(err) : 0;
    *out = result; /* kept for as long as the device is open */
    leave_python();
    return failed;
}

/* --- the table ---------------------------------------------------------------------------------------------------------- */

static int bridge_probe(ompls_module *self, int wanted, ompls_error *err) {
    uint64_t count = 0;
    enter_python();
    int failed = done_number(py.PyObject_CallMethod(self->user, "probe", "i", wanted), &count, err);
    if (failed == UNTOLD) err->fatal = OMPLS_LOST_NOW;
    return failed != 0 ? 0 : count > OMPLS_MAX_DEVICES ? OMPLS_MAX_DEVICES : (int)count;
}

static int bridge_open(ompls_module *self, int index, void **device, ompls_error *err) {
    enter_python();
    return done_object(py.PyObject_CallMethod(self->user, "open", "i", index), device, err);
}

static void bridge_close(void *device) {
    ompls_error err;
    enter_python();
    done(py.PyObject_CallMethod(device, "close", NULL), &err); /* it stays: other threads may have it */
}

/* 0 when there is none.  What is no number leaves an exception. */
static uint64_t number_item(object *mapping, const char *key) {
    if (py.PyErr_Occurred() != NULL) return 0;
    object *item = py.PyMapping_GetItemString(mapping, key);
    if (item == NULL) {
        py.PyErr_Clear();
        return 0;
    }
    uint64_t number = py.PyLong_AsUnsignedLongLong(item);
    py.Py_DecRef(item);
    return number;
}

static int bridge_properties(void *device, ompls_properties *out, ompls_error *err) {
    memset(out, 0, sizeof *out);
    enter_python();
    object *result = py.PyObject_CallMethod(device, "properties", NULL);
    if (result != NULL) {
        object *name = py.PyMapping_GetItemString(result, "name");
        if (name != NULL) { /* else what came is no mapping, or has none: an exception */
            text_of(name, out->name, sizeof out->name);
            py.Py_DecRef(name);
        }
        out->max_threads = (uint32_t)number_item(result, "max_threads");
        out->max_teams = (uint32_t)number_item(result, "max_teams");
        out->default_threads = (uint32_t)number_item(result, "default_threads");
        out->default_teams = (uint32_t)number_item(result, "default_teams");
        out->shares_host_memory = (uint32_t)number_item(result, "shares_host_memory");
        out->row_threads = (uint32_t)number_item(result, "row_threads");
        out->many_teams = (uint32_t)number_item(result, "many_teams");
        out->memory = number_item(result, "memory");
        out->gather = (uint32_t)number_item(result, "gather");
        out->lend = (uint32_t)number_item(result, "lend");
        out->pointer_bytes = (uint32_t)number_item(result, "pointer_bytes");
        out->loops = (uint32_t)number_item(result, "loops");
        out->big_endian = (uint32_t)number_item(result, "big_endian");
    }
    if (result != NULL && py.PyErr_Occurred() != NULL) {
        py.Py_DecRef(result);
        result = NULL;
    }
    return done(result, err);
}

static int bridge_alloc(void *device, uint64_t size, ompls_address *out, ompls_error *err) {
    enter_python();
    return done_number(py.PyObject_CallMethod(device, "alloc", "K", (unsigned long long)size), out, err);
}

static int bridge_free(void *device, ompls_address address, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "free", "K", (unsigned long long)address), err);
}

enum { READ_ONLY = 0x100, READ_WRITE = 0x200 }; /* PyBUF_READ, PyBUF_WRITE */

static object *view(const void *memory, uint64_t size, int access) {
    return py.PyMemoryView_FromMemory((char *)(uintptr_t)memory, (ptrdiff_t)size, access);
}

static int bridge_copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "copy_in", "KN", (unsigned long long)to, view(from, size, READ_ONLY)), err);
}

static int bridge_copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "copy_out", "NK", view(to, size, READ_WRITE), (unsigned long long)from), err);
}

static int bridge_start_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "start_in", "KN", (unsigned long long)to, view(from, size, READ_ONLY)), err);
}

static int bridge_start_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "start_out", "NK", view(to, size, READ_WRITE), (unsigned long long)from), err);
}

static int bridge_mark(void *device, uint64_t *mark, ompls_error *err) {
    enter_python();
    return done_number(py.PyObject_CallMethod(device, "mark", NULL), mark, err);
}

static int bridge_follow(void *device, uint64_t mark, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "follow", "K", (unsigned long long)mark), err);
}

static int bridge_lend(void *device, const void *host, uint64_t size, ompls_address *out, ompls_error *err) {
    enter_python();
    return done_number(py.PyObject_CallMethod(device, "lend", "KK", (unsigned long long)(uintptr_t)host, (unsigned long long)size), out, err);
}

static int bridge_take_back(void *device, const void *host, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "take_back", "K", (unsigned long long)(uintptr_t)host), err);
}

static int bridge_copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "copy_within", "KKK", (unsigned long long)to, (unsigned long long)from,
                                       (unsigned long long)size), err);
}

static int bridge_copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "copy_peer", "KOKK", (unsigned long long)to, from_device, (unsigned long long)from,
                                       (unsigned long long)size), err);
}

static int bridge_attach(void *device, ompls_address at, ompls_address target, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "attach", "KK", (unsigned long long)at, (unsigned long long)target), err);
}

static int bridge_load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    enter_python();
    return done_object(py.PyObject_CallMethod(device, "load", "N", view(image, size, READ_ONLY)), loaded, err);
}

static int bridge_find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err) {
    enter_python();
    return done_object(py.PyObject_CallMethod(device, "find_kernel", "Os", loaded, name), kernel, err);
}

static int bridge_most_threads(void *device, void *kernel, uint32_t *out, ompls_error *err) {
    enter_python();
    uint64_t found = 0;
    int failed = done_number(py.PyObject_CallMethod(device, "most_threads", "O", kernel), &found, err);
    *out = (uint32_t)found;
    return failed;
}

static int bridge_find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    enter_python();
    return done_number(py.PyObject_CallMethod(device, "find_symbol", "Os", loaded, name), out, err);
}

/* launch(kernel, name, (file, line), mode, grid, block, shared_bytes, params, kinds, id): params is a tuple of bytes, kinds
   has a byte for each. */
static int bridge_launch(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    enter_python();
    object *params = py.PyTuple_New((ptrdiff_t)request->nparams);
    for (uint32_t i = 0; params != NULL && i < request->nparams; i++)
        py.PyTuple_SetItem(params, (ptrdiff_t)i, py.PyBytes_FromStringAndSize(request->params[i], (ptrdiff_t)request->sizes[i]));
    const uint32_t *grid = request->grid, *block = request->block;
    object *kinds = py.PyBytes_FromStringAndSize((const char *)request->kinds, (ptrdiff_t)request->nparams);
    return done(py.PyObject_CallMethod(device, "launch", "Os(sI)I(III)(III)INNs", kernel, request->name, request->region_file,
                                       request->region_line, request->mode, grid[0], grid[1], grid[2], block[0], block[1],
                                       block[2], request->shared_bytes, params, kinds, request->id), err);
}

static int bridge_synchronize(void *device, ompls_error *err) {
    enter_python();
    return done(py.PyObject_CallMethod(device, "synchronize", NULL), err);
}

/* Called by the hosting interpreter, with its lock, before `main`: `module` has the attributes `name`, `image_class`
   and, when it likes, `kind` ("gpu", …), `ahead` (true: its devices have `start_in`, `start_out`, `mark` and `follow`),
   `peers` (true: they have `copy_peer`) and `fits` (true: they have `most_threads`), and the methods `probe` and `open`.  Returns 0, or 1 when the interpreter is not one we know. */
int ompls_bridge_add(object *module);
int ompls_bridge_add(object *module) {
    const char *missing = find_interpreter();
    if (missing != NULL) {
        ompls_warn("the process has no Python interpreter that can be called: %s is not there", missing);
        return 1;
    }
    static const ompls_module table = {
        .abi = OMPLS_MODULE_ABI, .probe = bridge_probe, .open = bridge_open, .close = bridge_close,
        .properties = bridge_properties, .alloc = bridge_alloc, .free = bridge_free, .copy_in = bridge_copy_in,
        .copy_out = bridge_copy_out, .copy_within = bridge_copy_within, .load = bridge_load,
        .find_kernel = bridge_find_kernel, .find_symbol = bridge_find_symbol, .launch = bridge_launch,
        .synchronize = bridge_synchronize, .lend = bridge_lend, .take_back = bridge_take_back, .attach = bridge_attach,
    };
    struct named {
        ompls_module module;
        char name[64], image_class[64], kind[16];
    } *added = calloc(1, sizeof *added);
    if (added == NULL) return 1;
    text_attribute(module, "name", added->name, sizeof added->name);
    text_attribute(module, "image_class", added->image_class, sizeof added->image_class);
    text_attribute(module, "kind", added->kind, sizeof added->kind);
    py.Py_IncRef(module);
    added->module = table;
    if (number_attribute(module, "ahead") != 0) {
        added->module.start_in = bridge_start_in;
        added->module.start_out = bridge_start_out;
        added->module.mark = bridge_mark;
        added->module.follow = bridge_follow;
    }
    if (number_attribute(module, "peers") != 0) added->module.copy_peer = bridge_copy_peer;
    if (number_attribute(module, "fits") != 0) added->module.most_threads = bridge_most_threads;
    added->module.name = added->name;
    added->module.image_class = added->image_class;
    added->module.kind = added->kind[0] ? added->kind : NULL;
    added->module.user = module;
    ompls_register_module(&added->module);
    ompls_close_before_exit();
    return 0;
}
