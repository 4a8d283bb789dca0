# A shell that is stopped.
# limit: wall
kill -STOP $$
sleep 100
