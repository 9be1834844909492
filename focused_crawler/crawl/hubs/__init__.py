"""Hubs and authorities of a crawl (the distiller of Chakrabarti et al. 1999)."""
