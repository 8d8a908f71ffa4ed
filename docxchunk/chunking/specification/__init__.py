"""The middle stages of P as its specification has them (`sizes=seed`): bridges between tables, anchors, part numbers, merging by level."""
