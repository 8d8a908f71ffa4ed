"""Find input files, and process many of them in threads, in processes or on a Ray cluster."""
