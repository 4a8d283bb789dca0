/*
 * key.h - a provider's key: read, kept out of every text, and wiped.
 */
#ifndef SNUG_AGENT_KEY_H
#define SNUG_AGENT_KEY_H

#include "base/str.h"

enum {
    KEY_MOST_BYTES = 4096,
    /* Shorter ones ("ollama", "EMPTY") are not secrets: they stand for none where a server asks
     * for one, and may be ordinary words. They are not hidden. */
    KEY_LEAST_HIDDEN = 8
};

/* The first line of the file at path, or the variable where path is NULL, without white space
 * around it. out is empty where there is none of either. SNUG_EINVAL or SNUG_ESYSTEM with a
 * message that names file or variable: it is empty, too long, or has control bytes. */
int key_read(str *out, const char *path, const char *variable);
/* Frees s; its bytes are zero before. */
void key_wipe(str *s);
/* Puts "[key]" for each occurrence of key in text. SNUG_OK or SNUG_ENOMEM (text is empty then). */
int key_hide(str *text, const str *key);

/* A key and whatever else is as secret. */
typedef struct key_list {
    const str *items;
    size_t count;
} key_list;

/* key_hide for each of them. */
int key_hide_all(str *text, const key_list *keys);

/* The same for text that comes in pieces: passes on all that cannot be part of a key. */
typedef struct key_filter {
    const key_list *keys;
    str held;
} key_filter;

/* Appends to out what may be shown now. SNUG_OK or SNUG_ENOMEM. */
int key_filter_feed(str *out, key_filter *f, const char *text, size_t len);
/* The rest; the filter is empty then. */
int key_filter_end(str *out, key_filter *f);

#endif
