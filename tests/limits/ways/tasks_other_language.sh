# Perl, awk and xargs start processes.
# limit: tasks
perl -e 'for (1..300) { if (!fork) { sleep 3; exit } } sleep 3' 2>/dev/null
seq 300 | xargs -P 300 -I{} sleep 2
