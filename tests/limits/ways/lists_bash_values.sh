# Variables of a shell with long values.
# limit: lists answer
for i in {1..300}; do declare "v$i=$(printf 'v%.0s' {1..5000})"; done
# %% send {"session": session, "op": "vars"}
