# The module by which asyncio.tools reads the memory of a process.
# breach: secret
# state: kept
# only: 3.14+
import _remote_debugging
_remote_debugging.RemoteUnwinder(1).get_stack_trace()
