"""HTML -> `Page`: URL rules, outline, links, content blocks, and text as terms."""
