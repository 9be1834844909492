"""What is to be fetched: contract, host queues, and one folder a backend."""
