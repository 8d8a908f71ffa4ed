"""Read the parts of a Word package into a `Document`."""
