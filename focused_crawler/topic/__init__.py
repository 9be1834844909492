"""A topic as its user wrote it down: topic.toml, its thesaurus, and how both are read and edited."""
