"""How fast it is, as ratios: to the least that the work can cost on this machine, and to others on the same files. Times alone say little of either."""
