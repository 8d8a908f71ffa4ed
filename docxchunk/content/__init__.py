"""The small language in the text of blocks: tags, tables, roles of lines, citations."""
