/*
 * ipynb.h - the code cells of a Jupyter notebook, nbformat 4
 * (https://nbformat.readthedocs.io/en/latest/format_description.html).
 */
#ifndef SNUG_CLI_IPYNB_H
#define SNUG_CLI_IPYNB_H

#include <stddef.h>

#include "cli/run/split.h"

/* Appends the code cells. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with a message
 * that says what is wrong with the notebook, without its name. */
int ipynb_cells(cell_list *list, const char *text, size_t len);

#endif
