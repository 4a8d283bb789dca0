# An interrupt has to end the wait for a tool.
# expect: rung 1
# tools: yes
# when: interrupt
never()
