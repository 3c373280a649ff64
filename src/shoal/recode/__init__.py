"""5. Write what is published: boxes of groups become cells.

A new recoder is one file here: a `Recoder` with a name and a `publish`.

| file | holds |
|---|---|
| `cells` | how a generalized cell is written and read back; nothing else decides it |
| `recoder` | the base class |
| `grid` | the steps on which the ends of snapped intervals lie |
| `snapped`, `tight`, `centre`, `bounds`, `sets` | the recoders |
| `scheme`, `distributions` | boxes that never overlap in part, and shares of values as columns |
| `widening` | cells of groups that are published again, and may only become wider |
| `reading` | the codes that published cells may stand for |
"""
