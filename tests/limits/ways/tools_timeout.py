# Calls of a tool that is slow, until the time is over.
# limit: tool_calls
# options: --tool "echo=cat" --tool "slow=sleep 0.3" --timeout 2s
for i in range(50):
    try:
        slow(x=i)
    except BaseException:
        pass
