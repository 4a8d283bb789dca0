# What a stop sets free calls a tool again.
# expect: rung 1
# tools: yes
class Waiting:
    def __del__(self):
        while True:
            try:
                never()
            except BaseException:
                pass
def wait():
    waiting = Waiting()
    never()
wait()
