# One pipeline with hundreds of commands.
# limit: tasks
eval "sleep 2 $(printf '| sleep 2 %.0s' {1..300})"
