/*
 * pictures.h - pictures on a terminal: by the protocol of kitty or of iTerm2, else in files that
 * are named.
 */
#ifndef SNUG_CLI_PICTURES_H
#define SNUG_CLI_PICTURES_H

#include <snug/snug.h>

#include "base/str.h"

typedef enum picture_mode {
    PICTURES_AUTO,
    PICTURES_KITTY,
    PICTURES_ITERM,
    PICTURES_SAVED,
    PICTURES_NONE /* as any display that a terminal does not show */
} picture_mode;

typedef struct pictures {
    picture_mode mode; /* not PICTURES_AUTO */
    str folder;        /* of those that were saved; made for the first one */
    unsigned count;
} pictures;

/* PICTURES_AUTO: by what the terminal says of itself in the environment. */
void pictures_open(pictures *p, picture_mode wanted);
/* Whether there is a picture in the display that is shown or saved. NULL is fine. */
int pictures_has_one(const pictures *p, const snug_display *display);
/* Shows it on stdout, or saves it and names it there; 0: there is none. */
int pictures_show(pictures *p, const snug_display *display);
/* 1: stdout has it; 0: the terminal cannot show it, or it is none in PNG. Nothing is saved. */
int pictures_show_png(const pictures *p, const str *bytes);
void pictures_close(pictures *p);

/* The form of a display of that type, "text/plain". NULL: it has none. */
const snug_mime *form_find(const snug_display *display, const char *type);

#endif
