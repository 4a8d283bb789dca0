# Swallows the stop around a tool that is not answered.
# expect: rung 1
# state: kept
# tools: yes
# when: run
while True:
    try:
        never()
    except BaseException:
        pass
    finally:
        try:
            never()
        except BaseException:
            pass
