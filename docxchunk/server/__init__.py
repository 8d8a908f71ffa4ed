"""An MCP server that lists, reads, searches and cites the Word files of a folder. It never writes
to the folder.
"""
