/*
 * ipynb.h - the code cells of a Jupyter notebook, nbformat 4
 * (https://nbformat.readthedocs.io/en/latest/format_description.html).
 */
#ifndef SNUG_CLI_IPYNB_H
#define SNUG_CLI_IPYNB_H

#include <stddef.h>

#include "base/str.h"
#include "cli/run/split.h"

/* Appends the code cells. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with a message
 * that says what is wrong with the notebook, without its name. */
int ipynb_cells(cell_list *list, const char *text, size_t len);
/* Appends the notebook with the outputs of another one, whose cells are the first of its code cells
 * that are not empty; the others lose theirs. Errors as before. */
int ipynb_with_outputs(str *out, const str *notebook, const char *run, size_t run_len);

#endif
