/* Functions that the library calls, which call the listeners of Java. */
#ifndef INLAY_JAVA_CALLBACKS_H
#define INLAY_JAVA_CALLBACKS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

bool open_callbacks(JavaVM* machine, JNIEnv* env); /* once, before the others; false: an exception is pending */
/* data: a listener's number in Listeners, which knows whether it is still there. */
int32_t call_progress(void* data, int32_t stage, int64_t count, int64_t total);
void call_log(void* data, int32_t severity, const char* text);

#endif
