"""What a world may contain: the schema language, its loader, its checks."""
