"""What a running crawl tells of itself in figures, for Prometheus, OpenTelemetry and Grafana."""
