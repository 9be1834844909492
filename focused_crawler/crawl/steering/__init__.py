"""What goes beside the strategy: copies, traps, soft 404, the monitor, revisits."""
