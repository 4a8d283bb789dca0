# A module that is not allowed is imported when its name is used, not by a statement.
# breach: secret
# only: 3.15+
processes = __lazy_import__("subprocess")
processes.os.pread(SECRET_FD, 100, 0)
