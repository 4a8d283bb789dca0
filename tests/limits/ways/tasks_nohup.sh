# Jobs that are disowned and told to mind no end of the shell.
# limit: tasks
for i in {1..150}; do nohup sleep 3 >/dev/null 2>&1 & disown; done
