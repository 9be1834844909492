"""A frontier that workers share by hosts: each has some, and all lie in the crawl's PostgreSQL."""
