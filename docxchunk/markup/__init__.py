"""The markup in the text of blocks: tags, table rows and cells, escaping."""
