"""2. Columns become axes: ordered lines of codes on which a group is a box."""
