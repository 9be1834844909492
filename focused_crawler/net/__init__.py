"""Rules for what may come from the network: addresses, content types, text for a log."""
