/*
 * asker.h - who asks the questions of snug ask: the agents, what comes with a question, and what is
 * shown of it.
 */
#ifndef SNUG_CLI_ASKER_H
#define SNUG_CLI_ASKER_H

#include <snug/agent.h>

#include "base/str.h"
#include "cli/ask/closing.h"
#include "cli/ask/handing_over.h"
#include "cli/ask/permit.h"
#include "cli/ask/question_files.h"
#include "cli/ask/seats.h"
#include "cli/ask/steps.h"
#include "cli/display/pictures.h"
#include "cli/packages/modules.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"
#include "cli/tools/user_tools.h"

typedef struct asker {
    const options *options;
    seats seats;
    signals signals;
    tools tools;
    steps steps;
    permit permit;
    snug_agent_image *images; /* of the question */
    missing missing;          /* modules that programs of the question wanted */
    size_t offered;           /* of those: somebody was asked about them */
    int can_install;          /* the question may begin again in another session */
    int is_stopped;           /* it was, for that */
    int wants_bash;           /* the model's first program is in bash */
    int is_talk;              /* with somebody at a terminal */
    install_choice install;   /* in a conversation, where no option says it: asked */
    str context, code;
    str conversation, library, cache; /* paths */
    str model;                        /* where nobody has named one */
    closing closing;
    handing handing;
    pictures pictures;
    size_t asked;
    int is_done; /* nothing is asked: the options wanted something else */
} asker;

/* EXIT_FINE, or a status after one sentence. Close in both cases. */
int asker_open(asker *a, const options *o, int is_talk);
/* The question's exit status; 128 and a signal where that has ended it. */
int asker_ask(asker *a, const char *question);
/* As tools_close. */
int asker_close(asker *a);

#endif
