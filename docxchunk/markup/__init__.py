"""The small language inside a block's content: tags, rows and cells of tables, escaping."""
