"""Documentation site: everything that MkDocs needs beside the pages in docs/ (`make docs`).

| file | holds |
|---|---|
| `events` | what MkDocs calls: the only module that knows it |
| `navigation` | the order of sections; pages of a folder are found by themselves |
| `generated` | all pages that are made from the source, by their path |
| `plugin_pages` | a page for each method, model, loss and so on, from its module's docstring |
| `command_pages` | a page for each command, from its options |
| `recipe_page` | what a recipe file may hold, from the table of options |
| `python_pages` | a page for each public function and class, from signature and docstring |
| `notebook_page` | the notebook of the tutorial, with what its cells showed |
| `project_pages` | ARCHITECTURE.md and its neighbours, and the tables of the examples |
| `linking` | names of plug-ins in backticks become links, words of ours are explained |
| `example_tables` | the invented tables on which all examples run |
| `planes` | pictures of points in a plane with the boxes of each method |
"""
