"""Graphs: clusters of nodes and ordinary graphs in which nobody stands alone.

| file | holds |
|---|---|
| `network` | a graph over the rows of a table, and all that is refused in tables of edges |
| `structure` | numbers of edges of clusters, and what they lose of a graph |
| `method`, `methods` | what methods share; methods by name |
| `sangreea` | clusters grown greedily, as Campan and Truta have it |
| `searching` | our own search on the real objective |
| `density` | clusters that tell too much of their edges are merged |
| `supergraph` | the flow: from a graph to a verified supergraph |
| `published` | the tables of a supergraph, written and read back |
| `gate` | promises recounted from these tables alone |
| `attacks`, `propagation` | what someone who knows neighbours gets out of a release |
| `metrics` | what analysts measure, on the original and on released graphs |
| `sampling` | an ordinary graph that fits a supergraph |
| `certificate`, `report` | the two parts of a certificate of a graph; a report for people |
| `k_degree` | the flow: from a graph to one in which k nodes share every degree |
| `changing` | the fewest edges that change, by an integer programme, and its bound |
| `degrees`, `realizing` | cheapest degrees that k nodes share; edges that give a graph these |
| `highest_group` | a bound on edges that are added, by the group of the highest node |
| `exchanging` | degrees that ask for fewer new edges, by small changes |
"""
