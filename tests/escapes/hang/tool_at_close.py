# A finalizer at the close goes on calling tools.
# expect: rung 1
# tools: yes
# when: close
class Waiting:
    def __del__(self, never=never, BaseException=BaseException):
        while True:
            try:
                never()
            except BaseException:
                pass
waiting = Waiting()
