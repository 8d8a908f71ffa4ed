"""Which characters and words are the same, whatever the way in which they are written."""
