/*
 * docker.h - a worker in a container: --docker IMAGE as a worker's command.
 *
 * The container has no network, no rights, a root that is read-only, and of this machine's files
 * the work directory and the packages, under their names here. It goes with its worker.
 */
#ifndef SNUG_CLI_DOCKER_H
#define SNUG_CLI_DOCKER_H

#include "cli/program/options.h"

/* Where an image is given: sets o->worker_command, which options_free() frees. EXIT_FINE, or
 * EXIT_USAGE after one sentence on stderr. */
int docker_prepare(options *o);

#endif
