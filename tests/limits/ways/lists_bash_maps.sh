# Maps and arrays of a shell.
# limit: lists answer
declare -A m; for i in {1..20000}; do m[key$i]=$i; done; a=({1..100000})
# %% send {"session": session, "op": "vars"}
