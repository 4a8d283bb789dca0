# What the shell itself tells: set -x and -v with long lines.
# limit: output
set -xv
x=$(head -c 100000 /dev/zero | tr '\0' x)
for i in {1..50}; do : $x; done
