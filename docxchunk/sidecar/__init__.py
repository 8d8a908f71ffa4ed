"""Read, write and validate parsed folders."""
