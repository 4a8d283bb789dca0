/*
 * tenant_hosts.h - the tenants' hosts. All without the lock but for what says so.
 */
#ifndef SNUG_SUPERVISE_TENANT_HOSTS_H
#define SNUG_SUPERVISE_TENANT_HOSTS_H

#include "supervise/supervise.h"

/* The host of a tenant, of which a session is counted as open. */
int hosts_get(snug_host **out, snug_supervisor *s, tenant *tenant);
/* Another one in its place, where one session is counted as open and none is; else it stays. */
int hosts_replace(snug_supervisor *s, tenant *tenant);
/* The session was opened or reset, in the worker that it has now. */
void hosts_note(snug_supervisor *s, seat *one);
/* It has none any more. With the lock. */
void hosts_forget(seat *one);
/* No worker is noted of the tenant any more. With the lock. */
void hosts_forget_workers(tenant *tenant);
/* Notices which of a tenant's workers have died, and tells the owner. */
void hosts_check(snug_supervisor *s, tenant *tenant);
/* The same for all tenants. */
void hosts_check_all(snug_supervisor *s);
/* Ends one worker that has no session, and had none for so long. 1: it did. */
int hosts_end_one(snug_supervisor *s, uint64_t idle_ns);
/* Kills all workers: what is under way in them fails, and nothing that is to end with them is
 * waited for. That they died is not told. With the lock. */
void hosts_kill(snug_supervisor *s);
/* Bytes that the workers take, or this process where the sessions are in it. */
uint64_t hosts_memory(snug_supervisor *s);

#endif
