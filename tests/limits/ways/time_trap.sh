# A shell that minds nothing.
# limit: wall cpu
# forms: bash
trap '' INT TERM HUP ALRM QUIT PIPE USR1 USR2
while :; do :; done
