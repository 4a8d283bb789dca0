# Processes that mind no interrupt, left by cells that ran out of time.
# limit: tasks
# options: --timeout 0.5s
# rounds: 5
for i in {1..30}; do (trap '' INT TERM HUP; sleep 30) & done >/dev/null 2>&1
wait
