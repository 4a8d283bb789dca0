# The error's text opens the file while the host makes its report.
# breach: secret
class Wrong(Exception):
    def __str__(self):
        with open(SECRET_FILE) as file:
            return file.read()
raise Wrong
