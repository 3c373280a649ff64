"""Report: what was done to a table and what remains, for people; as one HTML file, or as Markdown.

    facts     = what is known of a release: of everything (internal), or of what is published alone
              (public)
    document  = sections of plain parts: paragraphs, tables, bars
              (sections.py)
    file      = the same document as HTML with drawings, or as Markdown                  (html.py,
              markdown.py)

The public form is a function of the published table and the public certificate alone, so it can't
tell what they do not; and it tells less: counts are rounded to multiples of five, and rare cells
are merged.
"""
