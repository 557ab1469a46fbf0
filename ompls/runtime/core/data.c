/* data.c -- `target data`: a data environment from its begin to its end. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct ompls_env {
    ompls_place at;
    ompls_held *items;
    ompls_expanded *expanded; /* the construct has lists: `args` are in there */
    ompls_arg args[];
};

struct ompls_env *ompls_data_begin(ompls_region *region, int64_t device, const ompls_arg *args) {
    ompls_place at = {ompls_resolve(region, device), region};
    if (OMPLS_UNLIKELY(at.device == NULL)) {
        ompls_drop_lists(region, args);
        return NULL;
    }
    ompls_expanded *expanded = region->nlists != 0 ? ompls_expand(region, args) : NULL;
    if (expanded != NULL) {
        at.region = region = &expanded->region;
        args = expanded->args;
    }
    struct ompls_env *env = calloc(1, sizeof *env + region->nitems * (sizeof(ompls_arg) + sizeof(ompls_held)));
    if (env == NULL) ompls_fail(at, NULL, "out of memory");
    env->at = at;
    env->items = (ompls_held *)&env->args[region->nitems];
    if (region->nitems > 0) memcpy(env->args, args, region->nitems * sizeof *args);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observe(&(ompls_event){.kind = "env_push", .at = at});
    env->expanded = expanded;
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_ENTER, true);
    ompls_traffic traffic;
    ompls_enter_items(at, args, expanded == NULL ? ompls_hints_of(at) : NULL, env->items, &traffic);
    ompls_entered(&traffic);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_ENTER, false);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed();
    return env;
}

void ompls_data_end(ompls_region *region, struct ompls_env *env) {
    (void)region;
    if (env == NULL) return;
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(env->at, OMPLS_TOOL_EXIT, true);
    ompls_leave_environment(env->at, env->args, env->items);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(env->at, OMPLS_TOOL_EXIT, false);
    if (OMPLS_UNLIKELY(ompls_observing)) {
        ompls_observe(&(ompls_event){.kind = "env_pop", .at = env->at});
        ompls_observed();
    }
    ompls_expanded_done(env->expanded);
    free(env);
}
