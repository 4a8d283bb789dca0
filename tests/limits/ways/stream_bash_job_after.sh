# Jobs that print into the next cells, one each.
# limit: output
# rounds: 6
(sleep 0.2; yes | head -c 3M) &
sleep 0.1
