# make with as many jobs as it likes, and find, parallel ones.
# limit: tasks
printf 'all: %s\n%%x:\n\tsleep 2\n' "$(printf '%sx ' {1..200})" >Makefile
make -j 2>/dev/null || find /usr -maxdepth 2 -exec sh -c 'sleep 2 &' \;
