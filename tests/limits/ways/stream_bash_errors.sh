# Thousands of commands that are not there.
# limit: output
for i in {1..3000}; do "nosuch$(printf 'n%.0s' {1..200})$i"; done
