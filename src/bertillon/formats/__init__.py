"""Files to tables and back: one module a format, a registry by name, sniffing by content."""
