"""Which way to chunk finds the answers: questions with the places of their answers, retrieval, measures on those places, and a report."""
