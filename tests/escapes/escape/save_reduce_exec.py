# A value that is saved as a call of exec.
# breach: marker
# when: save
class Runs:
    def __reduce__(self):
        return exec, (f"open({MARKER_FILE!r}, 'w').close()",)
runs = [Runs()]
