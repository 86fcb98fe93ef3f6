#include <inlay/plugin.h>
#include <inlay.h>
int both_headers_in_c(inlay_error* of_a_plugin, inlay_failure* of_the_program);
int both_headers_in_c(inlay_error* of_a_plugin, inlay_failure* of_the_program) {
    return of_a_plugin->code + inlay_failure_code(of_the_program);
}
