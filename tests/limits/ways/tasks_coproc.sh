# Coprocesses, which the shell starts by itself.
# limit: tasks
for i in {1..150}; do eval "coproc C$i { sleep 3; }"; done 2>/dev/null
