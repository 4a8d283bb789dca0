# Children of children that compute, beside a shell that waits.
# limit: wall cpu
for i in 1 2 3 4; do (while :; do :; done) & done
wait
