"""The values that every station passes on: frozen, standard library only, blind to files, XML and tokens."""
