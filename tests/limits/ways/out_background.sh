# A job in the background that prints when the cell has ended.
# limit: output answer
# after: 2
(sleep 0.3; for i in {1..20000}; do echo background $i; done; yes) &
# %% wait 1
# %% cell
echo next
