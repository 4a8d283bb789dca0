/*
 * bystander.h - who must not notice an escape: live sessions on threads of their
 * own, and a bare thread that measures the machine.
 *
 * A neighbour runs small cells without end and compares every answer with the one
 * that it knows; its counter in Python has to agree with the one here. Between two
 * turns it pauses. The control thread sleeps as long and then computes as long
 * as a turn takes, without Python: its lateness is the machine's own.
 */
#ifndef ESCAPES_BYSTANDER_H
#define ESCAPES_BYSTANDER_H

#include <stdint.h>

#include <snug/snug.h>

typedef struct bystanders bystanders;

/* NULL when a session does not open; a message is printed. */
bystanders *bystanders_open(snug_host *host, unsigned neighbours, uint64_t pause_ns);
/* Answers how many wrong answers there were in all. */
unsigned bystanders_close(bystanders *all);

/* A window begins: what was measured before is forgotten. */
void bystanders_watch(bystanders *all);
/* The longest time from one turn's end to the next one's in this window, one that
 * has not ended included; 0 without neighbours. */
uint64_t bystanders_stall_ns(bystanders *all);
/* The same of the control thread. */
uint64_t bystanders_machine_ns(bystanders *all);
/* Waits until each neighbour has ended a turn that began after this call, at most
 * ns. 0, or -1 if one has not. */
int bystanders_settle(bystanders *all, uint64_t ns);
/* The first wrong answer, or NULL. */
const char *bystanders_complaint(bystanders *all);

#endif
