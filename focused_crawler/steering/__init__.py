"""What steers a crawl beside its strategy: copies, traps, hubs, alarms, revisits."""
