# A finalizer calls a tool that is not answered.
# expect: rung 1
# tools: yes
# when: finalizer
class Waiting:
    def __del__(self):
        never()
waiting = Waiting()
del waiting
