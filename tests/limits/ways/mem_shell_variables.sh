# Grows a variable of the shell itself.
# limit: memory
x=$(head -c 1M /dev/zero | tr '\0' x)
for i in {1..12}; do x=$x$x; done
# %% cell
echo ${#x}
