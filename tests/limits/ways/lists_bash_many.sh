# Variables of a shell, thousands with long names.
# limit: lists answer
long=$(printf 'n%.0s' {1..900})
for i in {1..2000}; do declare "$long$i=$i"; done
# %% send {"session": session, "op": "vars"}
