# A value that is saved with a function that sets its state: print to a file.
# breach: marker
# when: save
class Sets:
    def __reduce__(self):
        return open, (MARKER_FILE, "w"), "text", None, None, print
sets = Sets()
