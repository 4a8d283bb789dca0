# Calls in a loop that minds no exception of any kind.
# limit: tool_calls
# forms: local worker full
# options: --tool "echo=cat"
for i in range(50):
    try:
        echo(x=i)
    except BaseException:
        pass
