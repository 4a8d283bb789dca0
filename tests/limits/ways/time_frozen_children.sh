# Children in a state that no signal but one ends, and a shell that waits for them in the foreground.
# limit: wall
sh -c 'kill -STOP $$' ; python3 -c 'import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)); os.kill(os.getpid(), 19); signal.pause()'
