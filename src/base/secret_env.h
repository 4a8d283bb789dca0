/*
 * secret_env.h - variables of the environment that have secrets: taken out of it, so that neither
 * /proc nor a child has them, and no pointer of the C library leads to them.
 */
#ifndef SNUG_BASE_SECRET_ENV_H
#define SNUG_BASE_SECRET_ENV_H

/* Before the first other thread. A variable that is not set is fine. SNUG_OK or SNUG_ENOMEM. */
int secret_env_take(const char *name);
/* The value of a variable, whether it was taken or not; NULL: it is not set. Any thread. */
const char *secret_env(const char *name);
/* Wipes those that were taken. After the last other thread. */
void secret_env_forget(void);

#endif
