# A job in the background that computes when the cell has ended.
# limit: cpu
# quick:
# after: 3
(while :; do :; done) >/dev/null 2>&1 &
# %% wait 1
# %% cell
echo after
