# Compiles regular expressions with large sets and keeps them, and matches with deep stacks.
# limit: memory
# forms: local worker full bash
import re
keep = [re.compile("(?:" + "|".join(f"a{i}b{j}" for i in range(50)) + ")*") for j in range(400)]
while True:
    keep.append(re.match("(?:(a)|b)*", "ab" * 4_000_000))
    keep.append(re.findall("(?=(.*))", "x" * 20_000))
