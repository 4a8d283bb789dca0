# A shell that is stopped.
# limit: wall
# forms: bash
kill -STOP $$
sleep 100
