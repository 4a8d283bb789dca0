# /proc/self/oom_score_adj.
# breach: setting
with open("/proc/self/oom_score_adj", "w") as file:
    _ = file.write("500")
