/*
 * request_state.h - the requestState of a request that is to be sent again: which cell waits, for
 * what, and for how long, signed by this process. It is readable, and of no use to anybody else:
 * the signature is of the principal and of the request too.
 *
 * One thread at a time.
 */
#ifndef SNUG_CLI_MCP_REQUEST_STATE_H
#define SNUG_CLI_MCP_REQUEST_STATE_H

#include <stdint.h>

#include "base/str.h"
#include "cli/mcp/rpc.h"

enum { REQUEST_DIGEST_BYTES = 65, STATE_CELL_BYTES = 32 };

typedef struct signer signer;

/* With a key of random bytes. SNUG_OK, or an error with a message. */
int request_state_start(signer **out);
/* Of a tools/call: of its name and arguments, as text. SNUG_OK or SNUG_ENOMEM. */
int request_state_digest(char out[REQUEST_DIGEST_BYTES], const cJSON *params);
/* Appends it; asked: the number of the last question that goes with it; until_s: since 1970.
 * SNUG_OK or SNUG_ENOMEM. */
int request_state_write(str *out, signer *s, const char *principal, const char *digest,
                        const char *session, const char *cell, uint64_t asked, int64_t until_s);
/* The cell and the last question of one that was written here, for that principal and request, and
 * is not too old. 1 or 0. */
int request_state_read(char cell[STATE_CELL_BYTES], uint64_t *asked, signer *s,
                       const char *principal, const char *digest, const char *state, int64_t now_s);

#endif
