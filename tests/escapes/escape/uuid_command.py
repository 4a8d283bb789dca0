# uuid's own helper starts a program.
# breach: secret
import uuid
uuid._get_command_stdout("cat", SECRET_FILE).read()
