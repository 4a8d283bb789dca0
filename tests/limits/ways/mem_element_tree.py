# Builds trees of elements.
# limit: memory
# forms: local worker full bash
import xml.etree.ElementTree as ET
root = ET.Element("a")
while True:
    ET.SubElement(root, "b", {"k": "v" * 100}).text = "t" * 100
