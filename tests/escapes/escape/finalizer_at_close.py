# An object's __del__ makes a file when the session ends.
# breach: marker
class Last:
    def __del__(self, open=open, path=MARKER_FILE):
        open(path, "w").close()
last = Last()
