"""A folder of Word files for language models: what they can list, read, search and cite, and the MCP server that offers it. Nothing is ever written."""
