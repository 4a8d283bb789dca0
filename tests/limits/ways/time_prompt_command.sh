# What bash runs itself between cells: PROMPT_COMMAND, DEBUG, completion.
# limit: wall cpu
PROMPT_COMMAND='while :; do :; done'
trap 'while :; do :; done' DEBUG
# %% cell
echo 1
