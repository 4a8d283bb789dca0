# Functions of a shell, thousands.
# limit: lists answer
for i in {1..3000}; do eval "f_$(printf 'f%.0s' {1..200})$i() { :; }"; done
# %% send {"session": session, "op": "vars"}
