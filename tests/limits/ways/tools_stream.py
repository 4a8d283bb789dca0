# Calls from a stream that was put in the place of stdout.
# limit: tool_calls
# options: --tool "echo=cat"
import sys
class W:
    def write(self, text):
        try:
            echo(x=text)
        except Exception:
            pass
    def flush(self):
        pass
sys.stdout = W()
for i in range(60):
    print(i)
