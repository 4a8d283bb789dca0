"""What README's transcript of `snug ask` is told by the test endpoint."""
PROGRAM = '''```python
import csv
from collections import Counter
sold = Counter()
for row in csv.DictReader(open("sales.csv")):
    sold[row["region"]] += %s
sold.most_common(2)
```'''
RULES = [
    ("Question:\nWhich region sold the most units", PROGRAM % 'int(row["units"])'),
    ("Your program failed",
     '```json\n{"root_cause": "some rows have no units", "severity": "low", "recommendations": '
     '["count them as 0"]}\n```\n' + PROGRAM % 'int(row["units"] or 0)'),
    ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "North sold the most: 984 units."}'),
]
