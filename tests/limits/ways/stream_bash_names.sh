# Prints all that the shell has, after it was made large.
# limit: output
for i in {1..2000}; do declare "v$i=$(printf 'v%.0s' {1..20})"; done
set
declare -p
