# Lines that are drawn over each other, as meters do.
# limit: output
for i in {1..100000}; do printf '\r%d %%\033[K' $i; done
