# tempfile's candidates for a folder end with the current one.
# breach: secret
import tempfile
tempfile._candidate_tempdir_list()[-1]
