/* A plugin in C, of which inlay/plugin.h is all that it includes of Inlay: y = x, but 0 where x < 0, of float32. */
#include <inlay/plugin.h>
#include <stdlib.h>

struct inlay_engine {
    int64_t largest; /* tensor that it takes, in elements */
};
struct inlay_compiled {
    int64_t elements;
};
struct inlay_executable {
    int64_t elements;
};

static inlay_error no_memory = {sizeof no_memory, INLAY_ERROR_OUT_OF_MEMORY, "out of memory", NULL};
static inlay_error stopped = {sizeof stopped, INLAY_ERROR_STOPPED, "it was stopped", NULL};
static inlay_error no_room = {sizeof no_room, INLAY_ERROR_PROVIDER_UNAVAILABLE, "it needs room for an element", NULL};
static inlay_error torn = {sizeof torn, INLAY_ERROR_PROVIDER_FAILED, "these bytes are none that it saved", NULL};

static inlay_error* open_engine(const inlay_setting* const* settings, size_t count, inlay_engine** engine) {
    int64_t largest = 0;
    for (size_t k = 0; k < count; ++k)
        if (strcmp(settings[k]->name, "largest") == 0) largest = strtoll(settings[k]->value, NULL, 10);
    if (largest < 1) return &no_room;
    if (!(*engine = malloc(sizeof **engine))) return &no_memory;
    (*engine)->largest = largest;
    return NULL;
}
static void close_engine(inlay_engine* engine) { free(engine); }

static int64_t elements_of(const inlay_value* v) {
    int64_t n = 1;
    for (int32_t axis = 0; axis < v->rank; ++axis) n *= v->dims[axis];
    return n;
}
static inlay_error* propose(inlay_engine* engine, const inlay_nodes* nodes, const inlay_answer* answer) {
    for (size_t k = 0; k < nodes->node_count; ++k) {
        const int32_t node = nodes->nodes[k];
        const inlay_node* n = nodes->graph->nodes[node];
        if (!inlay_text_is(n->op, "Relu") || n->domain.size > 0) {
            answer->refuse(answer, node, "it has Relu only");
            continue;
        }
        const inlay_value* x = nodes->graph->values[n->inputs[0]];
        if (x->is_constant)
            answer->refuse(answer, node, "it computes nothing of constants");
        else if (x->type != 1 /* as ONNX numbers types */)
            answer->refuse(answer, node, "it has floats only");
        else if (elements_of(x) > engine->largest)
            answer->refuse(answer, node, "it has more elements than `largest` allows");
        else
            answer->take(answer, &node, 1);
    }
    return NULL;
}

static inlay_error* make_compiled(int64_t elements, inlay_compiled** compiled) {
    if (!(*compiled = malloc(sizeof **compiled))) return &no_memory;
    (*compiled)->elements = elements;
    return NULL;
}
static inlay_error* compile(inlay_engine* engine, const inlay_nodes* region, inlay_compiled** compiled) {
    (void)engine;
    return make_compiled(elements_of(region->graph->values[region->outputs[0]]), compiled);
}
static void destroy_compiled(inlay_compiled* compiled) { free(compiled); }
static inlay_error* save(const inlay_compiled* compiled, const inlay_writer* to) {
    to->write(to, &compiled->elements, sizeof compiled->elements);
    return NULL;
}
static inlay_error* restore(inlay_engine* engine, const inlay_nodes* region, const void* bytes, size_t count,
                            inlay_compiled** compiled) {
    (void)engine;
    const int64_t elements = elements_of(region->graph->values[region->outputs[0]]);
    if (count != sizeof elements || memcmp(bytes, &elements, count) != 0) return &torn;
    return make_compiled(elements, compiled);
}
static inlay_error* identity(inlay_engine* engine, const inlay_facts* to) {
    (void)engine;
    to->add(to, "library", "1.0");
    return NULL;
}

static inlay_error* instance(const inlay_compiled* compiled, inlay_executable** executable) {
    if (!(*executable = malloc(sizeof **executable))) return &no_memory;
    (*executable)->elements = compiled->elements;
    return NULL;
}
static void destroy_executable(inlay_executable* executable) { free(executable); }
static inlay_error* run(inlay_executable* executable, const inlay_run* r) {
    const float* x = r->inputs[0]->data;
    float* y = r->outputs[0]->data;
    for (int64_t i = 0; i < executable->elements; ++i) {
        if (i % 4096 == 0 && r->stopped(r)) return &stopped;
        y[i] = x[i] < 0 ? 0 : x[i]; /* NaN passes */
    }
    return NULL;
}

static const inlay_option largest = {sizeof largest, "largest", "1000000", "integer"};
static const inlay_option* const options[] = {&largest};
static const inlay_plugin table = {.size = sizeof table,
                                   .version = 1,
                                   .name = "RectifierExecutionProvider",
                                   .short_name = "relu_in_c",
                                   .library_version = "1.0",
                                   .status = INLAY_STATUS_PREVIEW,
                                   .option_count = 1,
                                   .options = options,
                                   .open = open_engine,
                                   .close = close_engine,
                                   .propose = propose,
                                   .compile = compile,
                                   .destroy_compiled = destroy_compiled,
                                   .instance = instance,
                                   .destroy_executable = destroy_executable,
                                   .run = run,
                                   .save = save,
                                   .restore = restore,
                                   .identity = identity};
/* >>> plugins */
const inlay_plugin* inlay_plugin_entry(uint32_t host_version) { return host_version < 1 ? NULL : &table; }
/* <<< */
