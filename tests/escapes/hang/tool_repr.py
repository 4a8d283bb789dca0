# The repr of the value calls a tool that is not answered.
# expect: rung 1
# tools: yes
# when: repr
class Waiting:
    def __repr__(self):
        return never()
Waiting()
