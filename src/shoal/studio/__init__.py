"""The studio: a local web page from a file to a verified release.

| file | what it does |
|---|---|
| `server` | opens the door on 127.0.0.1 and shuts it again |
| `guard` | who may come in: Host, Origin and token, for http and websocket both |
| `folders` | private folders that are gone when the studio is |
| `projects` | folders of the user that stay: settings, and for seven days tables and runs |
| `desk`, `desk_items` | what one browser works on: a table, a recipe, its runs |
| `desk_state` | what a project keeps of a desk, and a desk laid out again from it |
| `graph_desk` | the graph that lies beside the table, what is asked of it, and its release |
| `desks`, `cabinet` | the desk of each browser, and the other projects for its pages |
| `ledger_choice` | the ledger that releases are held against, and how |
| `settings` | all that is asked as a file, and taken up again |
| `jobs` | work in processes of their own, which may be cancelled and may crash |
| `work/` | what such a process does; it knows nothing of browsers |
| `routes`, `sockets` | the addresses of the studio, and who may hear and speak on a websocket |
| `uploads` | a table that comes as the body of a request, straight into a file |
| `grid` | a table of any length on the screen |
| `frame`, `style`, `pages/` | what is seen: one step a file; `graph` is a page beside the steps |
| `words` | refusals and remedies for someone at a page |
"""
