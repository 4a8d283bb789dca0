/*
 * kernelspec.h - what tells Jupyter's front ends of a kernel: a folder with a file kernel.json in
 * one of the places that they look into.
 * https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs
 */
#ifndef SNUG_CLI_KERNELSPEC_H
#define SNUG_CLI_KERNELSPEC_H

#include "cli/program/options.h"

/* The verbs of snug kernel. EXIT_FINE, or EXIT_USAGE after one sentence. */
int kernelspec_install(const options *o);
int kernelspec_list(const options *o);
int kernelspec_uninstall(const options *o);

#endif
