# Shells in each other, and process substitutions.
# limit: tasks
f() { [ $1 -gt 0 ] && ( f $(($1 - 1)); true ) || sleep 1; }
f 150
cat $(printf '<(sleep 2) %.0s' {1..2}) </dev/null
eval "cat $(printf '<(sleep 1) %.0s' {1..200})"
