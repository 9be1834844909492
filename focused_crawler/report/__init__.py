"""A crawl summed up: `read.read_crawl` reads its folder, `write.write_report` makes its report.html."""
