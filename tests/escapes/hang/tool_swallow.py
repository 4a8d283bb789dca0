# Swallows the stop around a tool that is not answered.
# expect: rung 1
# tools: yes
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
