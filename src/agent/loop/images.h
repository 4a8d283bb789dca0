/*
 * images.h - the images of a question, as requests carry them.
 */
#ifndef SNUG_AGENT_IMAGES_H
#define SNUG_AGENT_IMAGES_H

#include "agent/run/run.h"

/* Reads those of the question's options into the run. SNUG_EINVAL or SNUG_ESYSTEM with a message
 * that names the image: it cannot be read, is of no kind that models take, or too large. */
int images_read(run *r);

#endif
