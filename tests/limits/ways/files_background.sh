# A job in the background that makes empty files when the cell has ended.
# limit: disk_files
# after: 3
(sleep 0.5; cd "$PWD"; for i in {1..5000}; do : >f$i; done) >/dev/null 2>&1 &
# %% wait 2
# %% cell
ls | wc -l
