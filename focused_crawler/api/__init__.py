"""What `import focused_crawler as fc` offers: topics, crawls and experiments, for notebooks and programs."""
