"""What strategies ask of models, and the checks of the answers."""
