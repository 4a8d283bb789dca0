# Daemons of sessions that are reset.
# limit: tasks
# rounds: 5
for i in {1..30}; do setsid -f sleep 30 >/dev/null 2>&1 </dev/null; done
# %% reset
