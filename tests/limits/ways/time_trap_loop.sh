# A trap that begins again at each signal.
# limit: wall cpu
f() { while :; do sleep 1; done; }
trap f INT TERM EXIT ERR DEBUG
f
