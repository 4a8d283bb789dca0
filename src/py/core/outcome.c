#include "py/core/outcome.h"

#include <stdlib.h>

#include "capture/display.h"

const char *const outcome_lost_hint =
    "The session is lost with all its names: reset it or open a new one, and do not run this code "
    "again as it is.";
const char *const outcome_stopped_hint =
    "The session is lost with all its names: reset it or open a new one, and run the cells that it "
    "needs again.";

void outcome_free(outcome *out)
{
    str *texts[] = { &out->value,       &out->value_type, &out->value_json, &out->error_name,
                     &out->error_value, &out->traceback,  &out->hint };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
    for (size_t i = 0; i < out->frame_count; i++) {
        str_free(&out->frames[i].file);
        str_free(&out->frames[i].function);
        str_free(&out->frames[i].code);
    }

    free(out->frames);
    for (size_t i = 0; i < out->denial_count; i++) {
        str_free(&out->denials[i].event);
        str_free(&out->denials[i].detail);
    }

    free(out->denials);
    free(out->changes);
    str_free(&out->change_texts);
    display_drop(out->rich);
    *out = (outcome){ 0 };
}
