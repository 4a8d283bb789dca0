/*
 * sent_date.h - when a message was sent, by its header: "2026-01-31T12:30:00.123456Z".
 */
#ifndef SNUG_CLI_SENT_DATE_H
#define SNUG_CLI_SENT_DATE_H

#include <stdint.h>

/* Nanoseconds since 1970. 0, or -1 for what is not such a date in UTC. */
int sent_date_parse(uint64_t *out, const char *text);

#endif
