# Raises its own limits, and starts what that gives.
# limit: tasks
ulimit -Su $(ulimit -Hu); ulimit -u unlimited 2>/dev/null
for i in {1..200}; do (exec sleep 3) & done 2>/dev/null
wait
