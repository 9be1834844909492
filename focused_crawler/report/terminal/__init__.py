"""Views for the terminal, one module a subject; what is foreign is made printable."""
