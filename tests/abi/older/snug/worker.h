#ifndef SNUG_WORKER_H
#define SNUG_WORKER_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

SNUG_EXTERN int snug_worker_serve(int in, int out);

SNUG_EXTERN int snug_worker_serve_bash(int in, int out);

SNUG_EXTERN int snug_worker_sandbox(char *const *words);

SNUG_EXTERN int snug_worker_zygote(char *const *words);

#ifdef __cplusplus
}
#endif

#endif
