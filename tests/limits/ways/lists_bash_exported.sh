# Exported names, and names that are unset again.
# limit: lists answer
# forms: bash
for i in {1..1500}; do export "e$(printf 'e%.0s' {1..60})$i=$i" 2>/dev/null; done
# %% cell
unset ${!e@}
