# Waits for input, for a pipe with a name, for a lock, and for a coprocess.
# limit: wall
mkfifo p
coproc cat
read -r x <p
wait
