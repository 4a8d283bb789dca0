# Tables as wide as printf makes them.
# limit: output
printf '%*s\n' 20000000 x
printf '%020000000d\n' 1 >&2
