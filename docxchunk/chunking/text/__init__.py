"""Text measured and divided: tokens, words, sentences, and places to cut."""
