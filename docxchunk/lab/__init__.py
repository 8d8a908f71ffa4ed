"""What papers and authors need and most users do not: the strategies of papers, the evaluation and
the benchmarks. Nothing outside imports it, except the commands that show it; the registry has the
names of the strategies.
"""
