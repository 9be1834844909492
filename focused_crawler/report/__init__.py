"""What people read of a crawl: summaries, report.html, terminal views, samples."""
