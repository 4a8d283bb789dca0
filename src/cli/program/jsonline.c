#include "cli/program/jsonline.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/program/command.h"
#include "cli/terminal/term.h"

int jsonline_print(cJSON *object, int has_failed)
{
    char *text = has_failed ? NULL : json_text(object);

    cJSON_Delete(object);
    if (!text)
        return command_fail_memory();
    term_printf(stdout, "%s\n", text);
    free(text);
    return EXIT_FINE;
}
