# Sets thousands of variables with long names and values.
# limit: answer
long=$(printf 'n%.0s' {1..3000})
for i in {1..3000}; do declare "$long$i=$i"; done
# %% send {"session": session, "op": "vars"}
