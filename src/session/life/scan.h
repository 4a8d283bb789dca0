/*
 * scan.h - snug_host_scan: source judged by the scanner, a session of the host's own in which no
 * cell ever runs. So nothing can have changed what it judges by, and a scan has a session's limits
 * and stop ladder. A part of local_form, and its report as bytes.
 *
 * What is unpacked is checked as packed.h says.
 */
#ifndef SNUG_SESSION_SCAN_H
#define SNUG_SESSION_SCAN_H

#include <snug/snug.h>

#include "wire/pack.h"

int local_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
               const snug_scan_options *options);

void scan_pack(packer *p, const snug_scan *report);
int scan_unpack(snug_scan **out, unpacker *u);

#endif
