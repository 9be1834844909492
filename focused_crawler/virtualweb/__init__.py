"""A WARC file as the web: index, lookup, recording, the demo web, and bounds."""
