# Calls in a loop that minds no exception of any kind.
# limit: tool_calls
# options: --tool "echo=cat"
for i in range(50):
    try:
        echo(x=i)
    except BaseException:
        pass
