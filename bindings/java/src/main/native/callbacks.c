#include "callbacks.h"
#include <string.h>

static JavaVM* java;
static jclass listeners; /* a global reference */
static jmethodID progress_method, log_method;

bool open_callbacks(JavaVM* machine, JNIEnv* env) {
    java = machine;
    const jclass local = (*env)->FindClass(env, "ai/inlay/Listeners");
    if (!local) return false;
    listeners = (*env)->NewGlobalRef(env, local);
    (*env)->DeleteLocalRef(env, local);
    if (!listeners) return false;
    progress_method = (*env)->GetStaticMethodID(env, listeners, "progress", "(JIJJ)Z");
    if (!progress_method) return false;
    log_method = (*env)->GetStaticMethodID(env, listeners, "log", "(JI[B)V");
    return log_method != NULL;
}

/* The environment of this thread. *attached: it was none of Java's, and is to be detached. */
static JNIEnv* environment(bool* attached) {
    JNIEnv* env = NULL;
    *attached = false;
    if ((*java)->GetEnv(java, (void**)&env, JNI_VERSION_10) == JNI_OK) return env;
    if ((*java)->AttachCurrentThreadAsDaemon(java, (void**)&env, NULL) != JNI_OK) return NULL;
    *attached = true;
    return env;
}

int32_t call_progress(void* data, int32_t stage, int64_t count, int64_t total) {
    bool attached;
    JNIEnv* const env = environment(&attached);
    if (!env) return 1;
    bool proceed = !(*env)->ExceptionCheck(env); /* that of an earlier call ends the work */
    if (proceed) {
        proceed = (*env)->CallStaticBooleanMethod(env, listeners, progress_method, (jlong)(intptr_t)data, stage,
                                                  (jlong)count, (jlong)total);
        if ((*env)->ExceptionCheck(env)) proceed = false; /* the method that Java called throws it */
    }
    if (attached) (*java)->DetachCurrentThread(java);
    return proceed;
}

static void log_line(JNIEnv* env, void* data, int32_t severity, const char* text) {
    const size_t length = strlen(text);
    const jsize size = length < INT32_MAX ? (jsize)length : INT32_MAX;
    const jbyteArray bytes = (*env)->NewByteArray(env, size);
    if (bytes) {
        (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte*)text);
        (*env)->CallStaticVoidMethod(env, listeners, log_method, (jlong)(intptr_t)data, severity, bytes);
        (*env)->DeleteLocalRef(env, bytes);
    }
    (*env)->ExceptionClear(env); /* without memory for a line there is none */
}
void call_log(void* data, int32_t severity, const char* text) {
    bool attached;
    JNIEnv* const env = environment(&attached);
    if (!env) return;
    const jthrowable pending = (*env)->ExceptionOccurred(env);
    if (pending) (*env)->ExceptionClear(env);
    log_line(env, data, severity, text);
    if (pending) {
        (*env)->Throw(env, pending);
        (*env)->DeleteLocalRef(env, pending);
    }
    if (attached) (*java)->DetachCurrentThread(java);
}
