"""Report what was done to a table and what remains, for people; as one HTML file, or as Markdown.

| file | holds |
|---|---|
| `facts` | what is known of a release: all of it (internal), or what is published alone (public) |
| `document` | a report as sections of plain parts: paragraphs, tables, bars |
| `short`, `sections` | the sections of a report, the first of which sums it up |
| `questions` | the sections about singling out, linkability and inference |
| `spread` | the distribution of a quasi-identifier before and after |
| `html`, `drawing`, `style` | a document as HTML with drawings |
| `markdown` | a document as Markdown |

The public form is a function of the published table and the public certificate alone, so it can't
tell what they do not; and it tells less: counts are rounded to multiples of five, and rare cells
are merged.
"""
