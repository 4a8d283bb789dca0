# uuid's own helper starts a program.
# breach: secret
# state: kept
import uuid
uuid._get_command_stdout("cat", SECRET_FILE).read()
