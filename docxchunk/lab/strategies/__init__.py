"""The strategies of papers. Their rules are pure functions of the answers of models."""
