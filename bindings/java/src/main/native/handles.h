/* Numbers of Java as handles. 0 is NULL, which the library refuses. */
#ifndef INLAY_JAVA_HANDLES_H
#define INLAY_JAVA_HANDLES_H

#include <inlay.h>
#include <jni.h>

static inline inlay_options* options_of(jlong handle) { return (inlay_options*)(intptr_t)handle; }
static inline inlay_providers* providers_of(jlong handle) { return (inlay_providers*)(intptr_t)handle; }
static inline inlay_model* model_of(jlong handle) { return (inlay_model*)(intptr_t)handle; }
static inline inlay_any_value* value_of(jlong handle) { return (inlay_any_value*)(intptr_t)handle; }
static inline inlay_session* session_of(jlong handle) { return (inlay_session*)(intptr_t)handle; }
static inline inlay_binding* binding_of(jlong handle) { return (inlay_binding*)(intptr_t)handle; }
static inline inlay_cache* cache_of(jlong handle) { return (inlay_cache*)(intptr_t)handle; }

#endif
