/* The library of a plugin whose table is what the program that opened it says. */
#include <inlay/plugin.h>

INLAY_PLUGIN_EXPORT const inlay_plugin* fuzzed_table;
const inlay_plugin* fuzzed_table = NULL;

INLAY_PLUGIN_EXPORT const inlay_plugin* inlay_plugin_entry(uint32_t host_version) {
    (void)host_version;
    return fuzzed_table;
}
