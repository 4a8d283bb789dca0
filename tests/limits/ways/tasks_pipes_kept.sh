# Process substitutions that are kept open.
# limit: tasks
for i in {1..150}; do exec {fd}< <(sleep 3); done
