"""Read Office Open XML packages: parts, relationships, styles and numbering. Blocks are built in
`docxchunk.reader`.
"""
