"""The pages of a crawl as the data that others work with: tables, archives, URLs, passages of text."""
