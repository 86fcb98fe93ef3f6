/* The plugin of relu.c with a fault. In its table: what the environment variable FAULTY_TABLE names. Of its functions:
 * what the option `fault` names. */
#define inlay_plugin_entry sound_entry
#include "relu.c"
#undef inlay_plugin_entry
#include <stdio.h>

static int has(const char* fault, const char* name) { return fault && strcmp(fault, name) == 0; }
static const char* fault = ""; /* of the engine that was opened last */

static int released = 0; /* errors: each is to be released once */
static void release(inlay_error* e) {
    ++released;
    free(e);
}
static inlay_error* owned_error(int32_t code, const char* text) {
    inlay_error* e = malloc(sizeof *e);
    if (!e) return &no_memory;
    *e = (inlay_error){sizeof *e, code, text, release};
    return e;
}

static inlay_error* faulty_open(const inlay_setting* const* settings, size_t count, inlay_engine** engine) {
    static char copy[32];
    for (size_t k = 0; k < count; ++k)
        if (strcmp(settings[k]->name, "fault") == 0) snprintf(copy, sizeof copy, "%s", settings[k]->value);
    fault = copy;
    if (has(fault, "open")) return owned_error(INLAY_ERROR_PROVIDER_UNAVAILABLE, "the diode is missing");
    if (has(fault, "nothing")) return NULL;
    return open_engine(settings, count, engine);
}
static inlay_error* faulty_propose(inlay_engine* engine, const inlay_nodes* nodes, const inlay_answer* answer) {
    if (has(fault, "propose")) return owned_error(INLAY_ERROR_PROVIDER_FAILED, "it does not know itself");
    if (has(fault, "stranger")) {
        const int32_t stranger = 1000000;
        answer->take(answer, &stranger, 1);
        answer->refuse(answer, -1, "no");
        return NULL;
    }
    if (has(fault, "mute")) {
        for (size_t k = 0; k < nodes->node_count; ++k) answer->refuse(answer, nodes->nodes[k], NULL);
        return NULL;
    }
    if (has(fault, "onnx")) { /* reports what an ONNX model of the nodes has */
        inlay_text bytes = {NULL, 0};
        inlay_error* e = nodes->to_onnx(nodes, nodes->nodes, 1, INLAY_ELEMENTS_IN_BYTES, &bytes);
        char text[200];
        snprintf(text, sizeof text, "%s%zu bytes", e ? e->text : "", bytes.size);
        if (e) e->release(e);
        for (size_t k = 0; k < nodes->node_count; ++k) answer->refuse(answer, nodes->nodes[k], text);
        return NULL;
    }
    return propose(engine, nodes, answer);
}
static inlay_error* faulty_compile(inlay_engine* engine, const inlay_nodes* region, inlay_compiled** compiled) {
    if (has(fault, "compile")) return owned_error(INLAY_ERROR_PROVIDER_FAILED, "the solder is cold");
    if (has(fault, "unsupported")) return owned_error(INLAY_ERROR_UNSUPPORTED_MODEL, "not on a Tuesday");
    if (has(fault, "code")) return owned_error(12345, NULL);
    return compile(engine, region, compiled);
}
static inlay_error* faulty_instance(const inlay_compiled* compiled, inlay_executable** executable) {
    if (has(fault, "instance")) return owned_error(INLAY_ERROR_PROVIDER_FAILED, "no socket is free");
    return instance(compiled, executable);
}
struct tasks {
    const float* x;
    float* y;
};
static void relu_of_one(void* data, int32_t i) {
    const struct tasks* t = data;
    t->y[i] = t->x[i] < 0 ? 0 : t->x[i];
}
static inlay_error* faulty_run(inlay_executable* executable, const inlay_run* r) {
    if (has(fault, "run")) return owned_error(INLAY_ERROR_DEVICE_LOST, "the diode is burnt");
    if (has(fault, "value")) return owned_error(INLAY_ERROR_INVALID_VALUE, "a number that it does not like");
    if (has(fault, "memory")) return &no_memory;
    if (has(fault, "tasks")) { /* which is no fault: the session's threads do it */
        struct tasks t = {r->inputs[0]->data, r->outputs[0]->data};
        if (r->threads != 3) return owned_error(INLAY_ERROR_PROVIDER_FAILED, "there are not three threads");
        r->parallel(r, (int32_t)executable->elements, relu_of_one, &t);
        return NULL;
    }
    if (has(fault, "wait")) { /* until the run is stopped */
        while (!r->stopped(r)) continue;
        return r->stop || r->deadline > 0
                   ? &stopped
                   : owned_error(INLAY_ERROR_PROVIDER_FAILED, "stop and deadline are not reported");
    }
    if (has(fault, "stop")) return owned_error(INLAY_ERROR_STOPPED, "it does not want to");
    return run(executable, r);
}
static inlay_error* faulty_check(const char* name, const char* value) {
    (void)name;
    return strcmp(value, "13") == 0 ? owned_error(INLAY_ERROR_INVALID_OPTION, "13 brings bad luck") : NULL;
}

static const inlay_option fault_option = {sizeof fault_option, "fault", "", "text"},
                          mode = {sizeof mode, "mode", "fast", "fast|exact"},
                          wrong = {sizeof wrong, "wrong", "many", "integer"};
static const inlay_option* const faulty_options[] = {&largest, &fault_option, &mode};
static const inlay_option* const wrong_options[] = {&wrong};

INLAY_PLUGIN_EXPORT const inlay_plugin* inlay_plugin_entry(uint32_t host_version) {
    static inlay_plugin t;
    const char* in_table = getenv("FAULTY_TABLE");
    t = *sound_entry(host_version);
    t.name = "FaultyExecutionProvider";
    t.short_name = NULL;
    t.option_count = 3;
    t.options = faulty_options;
    t.check_option = faulty_check;
    t.open = faulty_open;
    t.propose = faulty_propose;
    t.compile = faulty_compile;
    t.instance = faulty_instance;
    t.run = faulty_run;
    if (has(in_table, "null")) return NULL;
    if (has(in_table, "newer")) t.version = host_version + 1;
    if (has(in_table, "older")) t.version = 0;
    if (has(in_table, "small")) t.size = offsetof(inlay_plugin, run);
    if (has(in_table, "tiny")) t.size = sizeof t.size;
    if (has(in_table, "name")) t.name = "faulty";
    if (has(in_table, "function")) t.close = NULL;
    if (has(in_table, "option")) t.options = wrong_options, t.option_count = 1;
    if (has(in_table, "short")) t.size = offsetof(inlay_plugin, compile_for_any_shapes); /* which is no fault */
    return &t;
}
