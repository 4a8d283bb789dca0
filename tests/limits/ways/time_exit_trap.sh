# An end of the shell that takes for ever.
# limit: wall cpu
set -e
trap 'while :; do :; done' EXIT
false
# %% cell
exit 3
