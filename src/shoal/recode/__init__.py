"""5. What is published. A new recoder is one file here: a `Recoder` with a name and a `publish`."""
