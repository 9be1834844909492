"""Errors with their cure, the address rule, safe text, settings read with care. Imports no other room."""
