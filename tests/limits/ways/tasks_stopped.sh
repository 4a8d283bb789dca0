# Processes that stop themselves, cell after cell.
# limit: tasks
# rounds: 8
for i in {1..20}; do sh -c 'kill -STOP $$' & done >/dev/null 2>&1
sleep 0.1
