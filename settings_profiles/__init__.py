"""Settings profiles: one small module each, holding what differs from the default in a dict `PROFILE`.

Chosen by SCRAPY_PROJECT=name, by `-a profile=name`, or by `profile = "name"` in a topic's topic.toml.
"""
