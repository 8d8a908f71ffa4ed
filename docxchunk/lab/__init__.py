"""What papers and authors need and most users do not: the strategies of papers, language models,
evaluation and benchmarks. Nothing outside imports it, except the commands that show it; the
registry has its names.
"""
