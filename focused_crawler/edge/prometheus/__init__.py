"""Metrics for Prometheus and OpenTelemetry, made when they are asked for."""
